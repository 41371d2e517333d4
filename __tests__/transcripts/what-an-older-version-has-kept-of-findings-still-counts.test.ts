import { expect, it } from '@jest/globals';
import { seedReply, seedReview } from '../helpers/github-review-seed.js';
import { findingLine, reviewLine } from '../helpers/marks.js';
import { text } from '../helpers/model-server.js';
import {
  CHANGE,
  calls,
  conversations,
  LOGGED,
  openPull,
  push,
  REVIEWER,
  submit,
  TIMING,
} from './review-scene.js';
import { HEAD, REPO, setStage, troubles } from './stage.js';

const NEXT = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
/** Lately, since nothing is kept for ever. */
const TIME = new Date(Date.now() - 10 * 24 * 60 * 60 * 1000).toISOString();
const [CLOSED, DISMISSED] = ['5a1b888c32f7c519', 'bd5e0034c391b3c6'];

/** A state file with rules in place of categories, to which a resolved conversation was a wrong finding. */
const STATE = `# State

axe-action keeps this beside the memory; no model reads it. What was forgotten stays forgotten because of it.

- reviewed 2 head=${HEAD} base=f95f852bd8fca8fcc58a9a2d6c842781e32a215e into=master at=${TIME}
- finding ${CLOSED}/2 pr=2 path=src/auth.ts rule=timing-attack at=${TIME}
- finding ${DISMISSED}/2 pr=2 path=src/auth.ts rule=secret-in-log at=${TIME}
- withdrawn ${CLOSED} pr=2 path=src/auth.ts rule=timing-attack why=resolved by=monalisa at=${TIME}
- withdrawn ${DISMISSED} pr=2 path=src/auth.ts rule=secret-in-log why=reply by=monalisa at=${TIME}
`;

it('an old dismissal counts, and a resolved conversation no longer means that the finding was wrong', async () => {
  const both = [calls(TIMING, LOGGED, submit('Two things.')), text('Reviewed.')];
  const stage = await setStage({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    roles: { monalisa: 'write' },
    model: [...both, ...both],
  });
  const { github, repo } = stage;
  repo.contents = 'write';
  github.commit(REPO, { 'reviewer.md': '', 'reviewer.state.md': STATE }, { branch: 'axe-memory' });
  const marker = (id: string) => findingLine({ id, agent: 'reviewer' });
  const { comments } = seedReview(repo, {
    pull: 2,
    author: 'github-actions[bot]',
    body: `${reviewLine({ agent: 'reviewer', head: HEAD, findings: [] })}\n\nTwo things.`,
    comments: [
      { path: 'src/auth.ts', line: 12, body: `${marker(CLOSED)}\nComparing with \`==\` leaks by time.` },
      { path: 'src/auth.ts', line: 11, body: `${marker(DISMISSED)}\nThe token ends up in the log.` },
    ],
  });
  const [timing = 0, logged = 0] = comments;
  repo.talk.resolved.set(timing, 'monalisa');
  seedReply(repo, logged, { author: 'monalisa', body: 'Not a bug.' });

  const inputs = { 'memory-store': 'branch' };
  const step = await stage.run({ ...push(stage, NEXT, CHANGE), inputs });
  expect(troubles(step)).toEqual([]);
  expect(step.outputs['memory-entry']).toContain(
    'Not repeated: 1 dismissed before. 1 earlier finding came back.',
  );
  expect(conversations(stage)).toMatchObject([
    { at: 'src/auth.ts:12', isResolved: false, replies: ['Back since 6dcb09b.'] },
    { at: 'src/auth.ts:11', replies: ['Not a bug.'] },
  ]);
  expect(step.outputs).toMatchObject({ 'findings-open': '1' });

  const elsewhere = await stage.run({
    ...openPull(stage, { number: 3, sha: 'd'.repeat(40), diff: CHANGE }),
    inputs,
  });
  expect(troubles(elsewhere)).toEqual([]);
  expect(stage.model.prompts().at(-2)?.messages[0]).toContain(
    '- src/auth.ts other (on #2)\n</third-party-text>',
  );
  const posted = conversations(stage).filter(({ pull }) => pull === 3);
  expect(posted.map(({ at }) => at)).toEqual(['src/auth.ts:12']);
  expect(elsewhere.summary).toContain(': dismissed before on #2 |');
  const state = github.files(REPO, 'axe-memory')['reviewer.state.md'] ?? '';
  expect(state).toMatch(new RegExp(`^- finding ${CLOSED}/2 pr=2 path=src/auth\\.ts cat=other `, 'm'));
  expect(state).toMatch(new RegExp(`^- lesson ${DISMISSED} pr=2 path=src/auth\\.ts .*at=${TIME}$`, 'm'));
});

import { expect, it } from '@jest/globals';
import {
  type ModelScript,
  promptOf,
  type ScriptedToolCall,
  text,
} from '../helpers/model-server.js';
import {
  adding,
  demonstrationStage,
  FAULTY,
  FIXED,
  HOLDS,
  PROVING,
  SECOND_ITEM,
  showing,
} from './demonstration-scene.js';
import { calls, conversations, findingOf, push, replyOnLine, submit } from './review-scene.js';
import { comparisonOf, REPO, troubles } from './stage.js';
import { resultsOf } from './tool-scene.js';

const BRANCH = 'changes';

/** A finding that no test shows; the command's model then goes on with these calls. */
async function raised(replies: readonly (readonly ScriptedToolCall[])[]) {
  const queue = replies.map((all) => calls(...all));
  let isReviewed = false;
  const model: ModelScript = (request) => {
    const { tools, messages } = promptOf(request);
    if (tools.includes('submit_review')) {
      if (messages.some((message) => message.startsWith('tool: '))) return text('That is all.');
      const raising = isReviewed ? [] : [SECOND_ITEM];
      isReviewed = true;
      return calls(...raising, submit('Reviewed.'));
    }
    if (tools.includes('give_verdict') && !tools.includes('demonstrate')) return calls(HOLDS);
    return queue.shift() ?? text('The first item is returned.');
  };
  const scene = await demonstrationStage(model, FAULTY, {
    base: { 'axe/agents/reviewer.toml': PROVING.replace('prove = "major"', '') },
  });
  const { stage, workspace } = scene;
  stage.github.commit(REPO, { 'list.mjs': FAULTY }, { branch: BRANCH, sha: scene.head });
  const inputs = { ...scene.inputs, 'block-on': 'major', 'changes-allowed': '*.mjs' };
  const first = await stage.run({ workspace, inputs });
  expect(troubles(first)).toEqual([]);

  const { id, handle } = findingOf(stage);
  /** Says it in the conversation of the finding. */
  async function say(body: string) {
    const before = stage.model.prompts().length;
    const { event } = replyOnLine(stage, id, body);
    const pull = event.payload['pull_request'] as { head: { sha: string } };
    pull.head.sha = scene.head;
    stage.repo.comparisons.set(comparisonOf(event.payload), adding(FAULTY));
    const step = await stage.run({ event, workspace, inputs });
    const answer = stage.repo.talk.reviewComments.at(-1)?.body ?? '';
    return { step, asked: stage.model.prompts().slice(before), answer };
  }
  return { ...scene, inputs, handle, say };
}

const edit = (from: string, to: string) => ({
  name: 'edit_file',
  input: { path: 'list.mjs', old_string: from, new_string: to },
});
const commit = { name: 'push_to_pull_request', input: { message: 'Return the first item' } };

it('a finding is shown by a test on request, fixed until its test passes, and closed by a push', async () => {
  const {
    stage,
    handle,
    say,
    workspace,
    inputs,
    commit: commitInCheckout,
  } = await raised([
    [showing()],
    [HOLDS],
    [edit('[1]', '[list.length - 1]')],
    [commit],
    [edit('[list.length - 1]', '[0]')],
    [{ ...commit, input: { message: 'Return the first item of a list' } }],
  ]);
  const shown = await say('/axe test');
  expect(troubles(shown.step)).toEqual([]);
  expect(shown.answer).toContain(`${handle} is shown by a test.`);
  expect(shown.answer).toContain('it sees <code>2</code>, with a fix <code>1</code>');
  expect(shown.answer).toContain("import { first } from './list.mjs';");
  const entry = stage.github.files(REPO, 'axe-memory')['reviewer.md']?.split('\n## ').at(-1);
  expect(entry).toMatch(
    new RegExp(`\\n\\*\\*Result:\\*\\* [^\\n]*\\n?${handle} is shown by a test\\.\\n*$`),
  );

  const again = await say(`/axe test ${handle}`);
  expect(again.asked).toEqual([]);
  expect(again.answer).toMatch(/At \w{7} the test of F\w{4} still fails: it sees `2`\./);

  const fix = await say('/axe fix');
  expect(troubles(fix.step)).toEqual([]);
  expect(fix.asked[0]?.messages[0]).toContain('Your goal is that this test passes.');
  expect(fix.asked[0]?.messages[0]).toContain("import { first } from './list.mjs';");
  expect(resultsOf(fix.asked.at(-1)).join('\n')).toMatch(
    /Not committed yet: the test of F\w{4} does not pass over your changes, it fails as before/,
  );
  expect(fix.answer).toContain(`With this change, the test of ${handle} passes: it sees \`1\`.`);
  expect(stage.github.files(REPO, BRANCH)).toEqual({ 'list.mjs': FIXED });

  const sha = commitInCheckout(FIXED);
  const before = stage.model.prompts().length;
  await stage.run({ ...push(stage, sha, { diff: adding(FIXED) }), workspace, inputs });
  const looks = stage.model.prompts().slice(before);
  expect(looks.filter(({ tools }) => tools.includes('give_verdict'))).toEqual([]);
  expect(conversations(stage)).toMatchObject([{ isResolved: true }]);
});

import { expect, it } from '@jest/globals';
import { answerLine } from '../helpers/marks.js';
import type { PayloadPatch } from '../helpers/webhooks.js';
import { expectTranscript, type StageOptions, seen, setStage } from './stage.js';

interface Case extends StageOptions {
  readonly inputs?: Readonly<Record<string, string>>;
}

const CASES: Readonly<Record<string, Case>> = {
  'a fork': opened({ 'pull_request.head.repo.full_name': 'octocat/Hello-World' }),
  'a fork, with a token of the base': {
    event: {
      name: 'pull_request',
      action: 'opened',
      patch: { 'pull_request.head.repo.full_name': 'octocat/Hello-World' },
    },
    role: 'admin',
  },
  'a fork that was deleted': opened({ 'pull_request.head.repo': null }),
  Dependabot: opened({ 'sender.login': 'dependabot[bot]', 'sender.type': 'Bot' }),
  'another bot': opened({ 'sender.login': 'hubot', 'sender.type': 'Bot' }),
  'somebody who may read': { role: 'read' },
  'somebody who may triage': { role: 'triage' },
  'somebody without any role': { role: 'none' },
  'an account GitHub does not know': { role: 'missing' },
  'a comment that somebody else edited': {
    event: { name: 'issue_comment', action: 'created', patch: { 'comment.user.login': 'octocat' } },
  },
  'an issue opened by a reader': { event: { name: 'issues', action: 'opened' }, role: 'read' },
  'a comment that does not say the phrase': {
    event: { name: 'issue_comment', action: 'created', patch: { 'comment.body': 'As `@axe` said.' } },
    inputs: { 'trigger-phrase': '@axe' },
  },
  'a comment of ours': {
    event: {
      name: 'issue_comment',
      action: 'created',
      patch: { 'comment.body': `${answerLine('reviewer/reply-1')}\nLooks good.` },
    },
  },
};

it('the step passes with one notice, and neither calls a model nor writes anything', async () => {
  const told = await Promise.all(
    Object.entries(CASES).map(async ([name, { inputs = {}, ...options }]) => {
      const stage = await setStage(options);
      const step = await stage.run({ inputs });
      expect([name, step.exitCode, step.commands]).toEqual([name, 0, ['notice']]);
      expect(step.outputs).toMatchObject({ conclusion: 'skipped', 'memory-saved': 'false' });
      expect(stage.model.requests()).toEqual([]);
      expect(stage.cache.entries()).toEqual([]);
      expect(stage.repo.comments).toEqual([]);
      return `##### ${name}\n\n${seen(step, stage)}`;
    }),
  );
  expectTranscript('who-may-not-write-starts-nothing', told.join('\n'));
});

function opened(patch: PayloadPatch): Case {
  return { event: { name: 'pull_request', action: 'opened', patch } };
}

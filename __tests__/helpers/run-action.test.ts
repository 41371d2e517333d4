import { describe, expect, it } from '@jest/globals';
import { COMPILED_CODE } from './compiled-code.js';
import { startModelServer, text } from './model-server.js';
import { runMain, runPost, startStep } from './run-action.js';
import { tempDir, writeFiles } from './temp.js';
import { loadWebhook, schedulePayload } from './webhooks.js';

const ACTION_YML = `
inputs:
  agent: { default: reviewer }
  memory-path: { default: '' }
  github-token: { default: '\${{ github.token }}' }
  strange: { default: '\${{ github.token }}' }
runs: { using: node24, main: index.js, post: index.js }
`;

/** Prints its environment, writes each of the runner's files, and stops on a signal. */
const PROGRAM = `
const fs = require('node:fs');
const env = process.env;
fs.appendFileSync(env.GITHUB_OUTPUT, 'env<<ghadelimiter_1\\n' + JSON.stringify(env, null, 1) + '\\nghadelimiter_1\\n');
fs.appendFileSync(env.GITHUB_OUTPUT, 'event=' + JSON.parse(fs.readFileSync(env.GITHUB_EVENT_PATH)).action + '\\n');
fs.appendFileSync(env.GITHUB_STATE, 'phase<<X\\nmain\\nX\\n');
fs.appendFileSync(env.GITHUB_STEP_SUMMARY, '# Done\\n');
console.log('::add-mask::hunter2');
console.log('the password is hunter2');
console.log('::warning title=Memory not saved,file=axe/agents/a.toml,line=3::token is 100%25 read-only%0Atwice: once');
console.log('::stop-commands::abc');
console.log('::error::not a command');
console.log('::abc::');
console.log('::notice::the end');
if (env.ASK) {
  process.on('SIGTERM', () => process.exit(143));
  fetch(env.ASK);
  setInterval(() => {}, 1000);
} else if (env.STATE_phase) process.exitCode = 3;
`;

function action(): string {
  const folder = tempDir('action');
  writeFiles(folder, { 'action.yml': ACTION_YML, 'index.js': PROGRAM });
  return folder;
}

describe('a step of the action', () => {
  it('gets a runner’s environment and nothing else, and leaves what a runner reads', async () => {
    const payload = loadWebhook('pull_request', 'opened');
    const options = {
      actionPath: action(),
      event: { name: 'pull_request', payload },
      inputs: { 'memory-path': 'm' },
    };
    const main = await runMain(options);
    const env = JSON.parse(main.outputs['env'] ?? '{}');
    expect(env).toMatchObject({
      INPUT_AGENT: 'reviewer',
      'INPUT_MEMORY-PATH': 'm',
      'INPUT_GITHUB-TOKEN': expect.stringMatching(/^ghs_/),
      GITHUB_REF: 'refs/pull/2/merge',
      GITHUB_REPOSITORY: 'Codertocat/Hello-World',
      GITHUB_ACTOR: 'Codertocat',
      GITHUB_WORKSPACE: main.workspace,
    });
    const known = /^(GITHUB|RUNNER|INPUT)_|^(CI|HOME|PATH)$/;
    const others = Object.entries(env).filter(([name]) => !known.test(name));
    // Only the place of compiled code is the tests' own.
    expect(Object.fromEntries(others)).toEqual(COMPILED_CODE);
    expect(main).toMatchObject({
      exitCode: 0,
      state: { phase: 'main' },
      summary: '# Done\n',
      masks: ['hunter2'],
    });
    expect(main.outputs['event']).toBe('opened');
    expect(main.annotations).toEqual([
      {
        level: 'warning',
        title: 'Memory not saved',
        file: 'axe/agents/a.toml',
        line: 3,
        message: 'token is 100% read-only\ntwice: once',
      },
      { level: 'notice', title: undefined, file: undefined, line: undefined, message: 'the end' },
    ]);
    expect(main.log).toBe('the password is ***\n::error::not a command\n');
    const post = await runPost(options, main);
    expect(post.exitCode).toBe(3);
    expect(JSON.parse(post.outputs['env'] ?? '{}')).toMatchObject({ STATE_phase: 'main' });
  });

  it('can be killed when a peer sees a request', async () => {
    const model = await startModelServer([{ kind: 'stall' }, text('never')]);
    const payload = schedulePayload('0 6 * * 1');
    const step = startStep('main', {
      actionPath: action(),
      event: { name: 'schedule', payload },
      env: { ASK: model.url },
    });
    model.onRequest(() => step.kill('SIGTERM'));
    expect((await step.finished).exitCode).toBe(143);
    expect(model.requests()).toHaveLength(1);
  });

  it('refuses an input that action.yml does not have', () => {
    const event = { name: 'push', payload: loadWebhook('push') };
    expect(() => startStep('main', { actionPath: action(), event, inputs: { agnet: 'x' } })).toThrow(
      'no input agnet',
    );
  });
});

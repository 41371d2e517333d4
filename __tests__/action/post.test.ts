import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { post } from '../../src/action/post.js';
import { setProcessEnv } from '../helpers/process-env.js';
import { parseWorkflowCommands } from '../helpers/runner-files.js';
import { tempDir } from '../helpers/temp.js';
import { append } from '../memory/stores/entries.js';

// The toolkit looks up the summary file once per process, so all tests share the folder.
const folder = mkdtempSync(join(tmpdir(), 'axe-action-post-'));
const GITHUB_STEP_SUMMARY = join(folder, 'summary');
const GITHUB_EVENT_PATH = join(folder, 'event.json');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENTRY = append('id1', { result: 'Passwords are long.' });

/** What the post step of a scheduled run does with what its main step left. */
async function run(env: Readonly<Record<string, string>>, pending: readonly object[] = [ENTRY]) {
  const workspace = tempDir('workspace');
  writeFileSync(GITHUB_STEP_SUMMARY, '');
  writeFileSync(
    GITHUB_EVENT_PATH,
    JSON.stringify({
      schedule: '0 4 * * 1',
      repository: { name: 'hello', full_name: 'octocat/hello', owner: { login: 'octocat' } },
    }),
  );
  setProcessEnv({ GITHUB_STEP_SUMMARY });
  const log: string[] = [];
  const chunks: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (chunk: string | Uint8Array) => chunks.push(String(chunk)) > 0;
  try {
    await post({
      env: {
        GITHUB_STEP_SUMMARY,
        GITHUB_EVENT_PATH,
        GITHUB_EVENT_NAME: 'schedule',
        GITHUB_REPOSITORY: 'octocat/hello',
        INPUT_AGENT: 'bot',
        STATE_pending: JSON.stringify(pending.map((change) => ({ ...change, again: new Date() }))),
        ...env,
      },
      workspace,
      cwd: workspace,
      temp: folder,
      log: (line) => void log.push(line),
      fail: () => log.push('failed'),
      onCancel: () => undefined,
    });
  } finally {
    process.stdout.write = write;
  }
  const { annotations } = parseWorkflowCommands(chunks.join(''));
  return { log, annotations, workspace, summary: readFileSync(GITHUB_STEP_SUMMARY, 'utf8') };
}

describe('the post step', () => {
  it('shows entries that it cannot save either, in one annotation and the summary (D14)', async () => {
    const { log, annotations, summary } = await run({});
    expect(log).toEqual([]);
    expect(annotations).toMatchObject([
      {
        level: 'warning',
        title: 'Memory not saved',
        message: expect.stringMatching(
          /^failed to save memory after the job: there is no token .*\. Give `github-token`/,
        ),
      },
    ]);
    expect(summary).toMatch(/^### axe-action: memory not saved\n\nfailed to save memory after the job: /);
    expect(summary).toContain('**Result:** Passwords are long.\n```');
  });

  it('shows only the id of an entry that belongs in another repository (D14)', async () => {
    const step = await run({ 'INPUT_MEMORY-REPO': 'octocat/memory' });
    expect(step.annotations).toMatchObject([{ message: expect.stringContaining('there is no token') }]);
    expect(JSON.stringify([step.log, step.annotations, step.summary])).not.toMatch(/Passwords|task of/);
    expect(step.summary).toContain('so it is not shown here: `id1`.');
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/action/main.js';
import { prepareStep, type StepOptions, type StepResult, stepResult } from './run-action.js';
import { tempDir } from './temp.js';
import { afterAllTests } from './test-end.js';

// The toolkit looks up the summary file once per process, so all steps of a test file share the
// folder of the runner's files.
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'axe-action-main-'));

afterAllTests(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the action's `main` or `post` in this very process, which is much faster than a process of
 * its own. The process takes the environment and the folder of the step meanwhile, so such steps
 * run one after the other.
 */
export function runMainHere(options: StepOptions, program = main): Promise<StepResult> {
  const step = last.then(() => runNow(options, program));
  last = step.catch(() => undefined);
  return step;
}

async function runNow(options: StepOptions, program: typeof main): Promise<StepResult> {
  const temp = join(tempDir('runner'), 'temp');
  mkdirSync(temp);
  const step = prepareStep({ ...options, env: { RUNNER_TEMP: temp, ...options.env } }, folder);
  const { env, workspace } = step;
  const chunks: string[] = [];
  let exitCode = 0;
  const restore = enter(env, workspace, (chunk) => chunks.push(chunk));
  try {
    await program({
      env,
      workspace,
      temp: env['RUNNER_TEMP'] ?? '',
      log: (line) => void process.stdout.write(`${line}\n`),
      fail: () => {
        exitCode = 1;
      },
      onCancel: () => undefined,
    });
  } finally {
    restore();
  }
  return stepResult({ exitCode, signal: null, stdout: chunks.join(''), stderr: '' }, step);
}

/** Puts the process in the place of the step's; the result takes it back. */
function enter(
  env: Readonly<Record<string, string>>,
  workspace: string,
  print: (chunk: string) => void,
): () => void {
  const before = { env: { ...process.env }, cwd: process.cwd(), write: process.stdout.write };
  replaceEnv(env);
  process.chdir(workspace);
  process.stdout.write = (chunk: string | Uint8Array) => {
    print(String(chunk));
    return true;
  };
  return () => {
    process.stdout.write = before.write;
    process.chdir(before.cwd);
    replaceEnv(before.env);
  };
}

function replaceEnv(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(env))
    if (value !== undefined) process.env[name] = value;
}

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  type ModelReply,
  type ModelScript,
  promptOf,
  type ScriptedToolCall,
  text,
} from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { calls, raise, reviewStage, submit } from './review-scene.js';
import { headOf, type Stage, type StageOptions } from './stage.js';

/** An agent that shows what it finds by tests. */
export const PROVING = `name = "reviewer"
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You review changes."
tools = ["add_review_comment", "submit_review", "run_command"]

[memory]
enabled = true

[review]
prove = "major"
`;

export const FAULTY = 'export function first(list) {\n  return list[1];\n}\n';
export const FIXED = FAULTY.replace('[1]', '[0]');

/** The change that adds a file with this text. */
export function adding(code: string): string {
  const lines = code.trimEnd().split('\n');
  const added = lines.map((line) => `+${line}`).join('\n');
  return `${headOf('list.mjs').replace('--- a/list.mjs', '--- /dev/null').replace('index', 'new file mode 100644\nindex').replace(' 100644\n---', '\n---')}@@ -0,0 +1,${lines.length} @@\n${added}\n`;
}

export const SECOND_ITEM = raise('list.mjs', 2, {
  code: '  return list[1];',
  title: '`first` returns the second item',
  category: 'correctness',
  effect: 'wrong-result',
  reach: 'always',
  body: 'Lists count from zero.',
  suggestion: '  return list[0];',
});

export const TEST = `import test from 'node:test';
import assert from 'node:assert';
import fs from 'node:fs';
import { first } from './list.mjs';

test('the first item', () => {
  const got = String(first([1, 2]));
  fs.writeFileSync('/tmp/axe-saw', got);
  assert.equal(got, '1');
});
`;

/** The call that shows {@link SECOND_ITEM}, with the suggestion as the fix. */
export function showing(change: Readonly<Record<string, unknown>> = {}): ScriptedToolCall {
  const input = {
    path: 'list.test.mjs',
    test: TEST,
    command: 'node --test list.test.mjs',
    with_fault: '2',
    without_fault: '1',
    ...change,
  };
  return { name: 'demonstrate', input };
}

export const HOLDS: ScriptedToolCall = {
  name: 'give_verdict',
  input: { verdict: 'holds', reason: 'The test shows it.' },
};

/** A reviewer that raises once what it is given, and a verifier with these replies. */
export function reviewing(
  raised: readonly ScriptedToolCall[],
  looks: readonly ModelReply[],
): ModelScript {
  let [reviews, look] = [0, 0];
  return (request) => {
    const { tools, messages } = promptOf(request);
    if (tools.includes('give_verdict')) {
      look += 1;
      return looks[look - 1] ?? text('I have nothing more to say.');
    }
    if (messages.some((message) => message.startsWith('tool: '))) return text('That is all.');
    reviews += 1;
    return calls(...(reviews === 1 ? raised : []), submit(`Review ${reviews}.`));
  };
}

/** A pull request that adds the file, and its checkout. */
export async function demonstrationStage(
  model: ModelScript,
  code = FAULTY,
  options: StageOptions = {},
) {
  const workspace = join(tempDir('demonstration'), 'workspace');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: workspace,
      encoding: 'utf8',
    }).trim();
  writeFiles(workspace, { 'README.md': 'Lists.\n', 'package.json': '{"type":"module"}\n' });
  git('init', '-q');

  /** Commits the file in the checkout; its commit is the head. */
  function commit(text: string, more: Readonly<Record<string, string>> = {}): string {
    writeFiles(workspace, { 'list.mjs': text, ...more });
    git('add', '-A');
    git('commit', '-qm', 'change', '--allow-empty');
    return git('rev-parse', 'HEAD');
  }
  const head = commit(code);
  const stage: Stage = await reviewStage(model, {
    base: { 'axe/agents/reviewer.toml': PROVING },
    diff: adding(code),
    event: { name: 'pull_request', action: 'opened', patch: { 'pull_request.head.sha': head } },
    ...options,
  });
  const inputs = { 'memory-store': 'branch', 'tools-allowed': 'run_command' };
  return { stage, workspace, commit, inputs, head };
}

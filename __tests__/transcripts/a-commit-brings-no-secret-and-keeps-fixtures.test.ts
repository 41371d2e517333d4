import { expect, it } from '@jest/globals';
import type { FileTree } from '../helpers/github-state.js';
import { text, toolCall } from '../helpers/model-server.js';
import type { StepResult } from '../helpers/run-action.js';
import { commentOnPull } from './review-scene.js';
import { HEAD, REPO } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml, resultsOf } from './tool-scene.js';

const BRANCH = 'changes';
const TOOLS = ['edit_file', 'write_file', 'push_to_pull_request'];
const AGENT: FileTree = { 'axe/agents/fixer.toml': agentToml({ name: 'fixer', tools: TOOLS }) };
const DIFF = `diff --git a/src/limit.ts b/src/limit.ts
new file mode 100644
index 0000000..1f7a7a4
--- /dev/null
+++ b/src/limit.ts
@@ -0,0 +1 @@
+export const limit = 10;
`;

const KEY = 'canary-5fJ8nD3hB6yGcP0e';
const TOKEN = `ghp_${'q7Rk2Zt9Xw'.repeat(3)}Lm4V8s`;
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
const PEM = `-----BEGIN PRIVATE KEY-----\n${PEM_LINE}\n-----END PRIVATE KEY-----\n`;
/** The files of the branch before the run. */
const FILES: FileTree = {
  ...AGENT,
  'src/limit.ts': 'export const limit = 10;\n',
  'test/old.ts': `connect('${TOKEN}');\n`,
  'deploy.txt': `host = example.com\nkey = ${KEY}\n`,
};

/** Runs an agent that writes one file and commits it; what it is answered, and what is committed. */
async function commit(path: string, content: string) {
  const model = [
    toolCall('write_file', { path, content }),
    toolCall('push_to_pull_request', { message: 'Write a file' }),
    text('Done.'),
  ];
  const patch = { 'pull_request.head.ref': BRANCH };
  const event = { name: 'pull_request', action: 'opened', patch };
  const stage = await setStageInProcess({ event, base: AGENT, diff: DIFF, model });
  stage.github.commit(REPO, FILES, { branch: BRANCH, sha: HEAD });

  const inputs = { agent: 'fixer', 'trigger-phrase': '@axe', 'changes-allowed': 'true' };
  const env = { MY_API_KEY: KEY };
  const step = await stage.run({ ...commentOnPull(stage, '@axe write it.'), inputs, env });
  return {
    step,
    answers: resultsOf(stage.model.prompts().at(-1)).join('\n'),
    committed: stage.github.files(REPO, BRANCH)[path],
    posted: stage.repo.comments.map(({ body }) => body).join('\n'),
  };
}

const shownBy = ({ stdout, summary, outputs }: StepResult) =>
  `${stdout}\n${summary}\n${JSON.stringify(outputs)}`;

it.each<[string, string, string]>([
  [
    'C9 104: a made-up token in a placeholder’s form',
    'test/a.ts',
    `const token = 'ghp_${'x'.repeat(36)}';\n`,
  ],
  [
    'C9 105: the key id of a provider’s documentation',
    'test/a.ts',
    'id = "AKIAIOSFODNN7EXAMPLE"\n',
  ],
  [
    'C9 106: a token put together from two parts',
    'test/a.ts',
    `const token = 'ghp_' + '${TOKEN.slice(4)}';\n`,
  ],
  ['C9 107: a token that the file already has', 'test/old.ts', `await connect('${TOKEN}');\n`],
  [
    'C9 108: the words around a private key',
    'src/pem.ts',
    "const isKey = pem.startsWith('-----BEGIN PRIVATE KEY-----');\n",
  ],
  ['C9 109: three stars in Markdown', 'docs/a.md', '***Important***\n\n***\n'],
])('%s is committed as it is', async (_, path, content) => {
  const { step, committed } = await commit(path, content);
  expect(step.exitCode).toBe(0);
  expect(committed).toBe(content);
});

it.each<[string, string, string, RegExp]>([
  [
    'C9 110: a token that is hard to guess',
    'test/a.ts',
    `// A fixture\nconst token = '${TOKEN}';\n`,
    /"test\/a\.ts": line 2 would get a GitHub token from character 16 on\. Where it is made up, put it together from two parts\./,
  ],
  [
    'C9 111: a private key',
    'test/key.txt',
    `\n${PEM}`,
    /"test\/key\.txt": line 2 would get a private key from character 1 on\./,
  ],
  [
    'C9 112: a token in the name of a file',
    `test/${TOKEN}.ts`,
    'x\n',
    /Not accepted: the name of a new file has a GitHub token\./,
  ],
  [
    'C9 113: a mask in the place of a secret',
    'deploy.txt',
    'host = example.org\nsecret = ***\n',
    /"deploy\.txt" was not changed: a line with a secret was changed or doubled/,
  ],
  [
    'C9 114: a line that reads otherwise than it runs',
    'src/a.ts',
    'first();\nif (isAdmin\u202e) {\u2066\n',
    /"src\/a\.ts": line 2 would get /,
  ],
])('%s is refused, and nothing is committed', async (_, path, content, reason) => {
  const { step, answers, committed } = await commit(path, content);
  expect(answers).toMatch(reason);
  expect(step.exitCode).toBe(0);
  expect(committed).toBe(FILES[path]);
});

it.each<[string, string]>([
  ['C9 115: a secret of the job', KEY],
  ['C9 116: a secret of the job in base64', Buffer.from(KEY).toString('base64')],
])('%s is neither committed nor shown', async (_, secret) => {
  const { step, committed, posted } = await commit('src/a.ts', `const key = '${secret}';\n`);
  expect(committed).toBeUndefined();
  expect(shownBy(step)).not.toContain(secret);
  expect(posted).not.toContain(secret);
});

import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_AGENTS } from '../../src/agent/built-in.js';
import type { TriggerContext } from '../../src/event/context.js';
import type { ReadBase } from '../../src/memory/citations.js';
import { runPipeline } from '../../src/run/run.js';
import { createFakeDependencies, makeRequest } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { WRITER } from '../helpers/reports.js';
import { pullRequest } from '../helpers/triggers.js';

const ORIGIN = { runId: '99', attempt: '1', sha: 'c'.repeat(40) };
const COMMIT = 'a'.repeat(40);
const REVIEWER =
  BUILT_IN_AGENTS.find(({ name }) => name === 'builtin/pr-reviewer')?.toml ?? 'no agent';
const DIFF = `diff --git a/src/auth.ts b/src/auth.ts
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -1,2 +1,3 @@
 const token = read();
+if (!token) return;
 open(token);
`;
const CHANGE: TriggerContext = {
  kind: 'pull_request',
  diff: DIFF,
  files: [{ path: 'src/auth.ts', status: 'modified', additions: 1, deletions: 0 }],
  filesTotal: 1,
  warnings: [],
};

/** The base has the lines that notes can cite. */
const readBase: ReadBase = async () => ({
  repository: 'octocat/hello',
  isOnlyRepository: true,
  commit: COMMIT,
  files: new Map([['src/auth.ts', 'const token = read();\nopen(token);\n']]),
  history: new Set([COMMIT]),
  renamed: new Map(),
});

const cited = (fact: string, code: string) =>
  `- ${fact} (src/auth.ts:9 "${code}") <!-- octocat/hello@${COMMIT} -->\n`;

/** A review by the built-in reviewer; `writes` are its calls of `memory_write`, each in a turn. */
async function review(
  memory: Readonly<Record<string, string>>,
  {
    writes = [],
    isMemoryReadOnly = false,
  }: { writes?: readonly string[]; isMemoryReadOnly?: boolean } = {},
) {
  const turns = writes.map((content, index) =>
    reply([call(`w${index}`, 'memory_write', { content })]),
  );
  const model = createFakeModel([...turns, says('Fine.'), says('Fine.'), says('Fine.')]);
  const deps = createFakeDependencies({
    model,
    agents: { bot: REVIEWER },
    permissions: WRITER,
    context: CHANGE,
    memory,
  });
  const { agents } = deps;
  const loadAgent: typeof agents.loadAgent = async (...parts) => ({
    ...(await agents.loadAgent(...parts)),
    source: 'built-in',
  });
  const report = await runPipeline(
    makeRequest({ trigger: pullRequest(), origin: ORIGIN, inWorkflow: true, isMemoryReadOnly }),
    {
      ...deps,
      readBase,
      agents: { ...agents, loadAgent },
    },
  );
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);
  const [asked] = model.asked;
  const tools = (asked?.tools ?? []).map(({ name }) => name);
  return { deps, report, tools, system: String(asked?.prompt[0]?.content), model };
}

describe('the built-in reviewer', () => {
  it('keeps no facts before anybody has begun them', async () => {
    const { system, tools, report, deps } = await review({ 'MEMORY.md': ' \n' });
    expect(tools).not.toContain('memory_write');
    expect(system).not.toMatch(/MEMORY\.md|Facts to Keep/);
    expect(report.memory?.notes).toBeUndefined();
    expect(deps.warnings.filter(({ message }) => message.includes('memory_write'))).toEqual([]);
  });

  it('is given facts whose line is there, with its current place, and can add two', async () => {
    const begun = `We use tabs.\n${cited('Read first', 'const token = read();')}${cited('Old', 'never.was(here);')}`;
    const { system, tools, report } = await review(
      { 'MEMORY.md': begun },
      {
        writes: [
          'Nothing opens without a token (src/auth.ts:3)',
          'Not read (#6)',
          'Again (#6)',
          'Said (#42)',
          'Third (#42)',
        ],
      },
    );
    expect(system).toContain(
      '## Long-term memory (MEMORY.md)\nWe use tabs.\n- Read first (src/auth.ts:1 "const token = read();")\n</memory>',
    );
    expect(system).toContain('## Facts to Keep');
    expect(tools).toContain('memory_write');
    expect(tools).not.toContain('memory_read');
    const added = report.remembered?.notes.map(({ path, edit }) => [path, edit]);
    expect(added).toMatchObject([
      [
        'MEMORY.md',
        {
          text: expect.stringMatching(
            /^- Nothing opens .*\(src\/auth\.ts:3 `"open\(token\);"`\) <!-- /,
          ),
        },
      ],
      ['MEMORY.md', { text: '- Said (#42)' }],
    ]);
  });

  it('only reads them with memory-readonly, without a warning about a tool that nobody asked for', async () => {
    const { system, tools, deps } = await review(
      { 'MEMORY.md': 'We use tabs.\n' },
      { isMemoryReadOnly: true },
    );
    expect(system).toContain('We use tabs.');
    expect(system).not.toContain('## Facts to Keep');
    expect(tools).not.toContain('memory_write');
    expect(deps.warnings.filter(({ message }) => message.includes('memory_write'))).toEqual([]);
  });
});

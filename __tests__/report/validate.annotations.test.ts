import { expect, it } from '@jest/globals';
import { annotate } from '../../src/report/report.js';
import type { Fault } from '../../src/run/records.js';
import { summaryOf } from '../helpers/reports.js';
import { parseWorkflowCommands } from '../helpers/runner-files.js';

/** What reaches the runner. */
async function annotated(faults: readonly Fault[]) {
  const file = 'axe/agents/a.toml';
  const agent = { name: 'a', file, config: undefined, callsAt: { file }, faults };
  const validation = { where: 'octocat/hello@1234567', agents: [agent] };
  const chunks: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (chunk: string | Uint8Array) => chunks.push(String(chunk)) > 0;
  try {
    await annotate(summaryOf({ kind: 'validated', validation }).annotations, ['hunter2-hunter2']);
  } finally {
    process.stdout.write = write;
  }
  return { ...parseWorkflowCommands(chunks.join('')), text: chunks.join('') };
}

function fault(patch: Partial<Fault> = {}): Fault {
  return {
    severity: 'error',
    message: 'It is wrong.',
    remedy: 'Fix it.',
    at: { file: 'axe/agents/a.toml', line: 3, column: 5 },
    ...patch,
  };
}

it('problems are shown at their line and column, without secrets and workflow commands', async () => {
  const message = 'The key hunter2-hunter2 is wrong.\n::stop-commands::x';
  const { annotations, names, text } = await annotated([fault({ message }), fault({ severity: 'warning' })]);
  expect(names).toEqual(['error', 'warning']);
  expect(annotations).toMatchObject([
    { level: 'error', title: 'Agent', file: 'axe/agents/a.toml', line: 3 },
    { level: 'warning', message: 'It is wrong.\nFix it.' },
  ]);
  expect(text).toContain('col=5');
  expect(text).not.toContain('hunter2');
});

import { expect, it } from '@jest/globals';
import { annotateFindings } from '../../src/publish/show-findings.js';
import type { PlacedFinding } from '../../src/review/place.js';
import { parseWorkflowCommands } from '../helpers/runner-files.js';
import { placed } from '../review/post-scene.js';

/** What reaches the runner. */
async function annotated(findings: readonly PlacedFinding[]) {
  const chunks: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (chunk: string | Uint8Array) => chunks.push(String(chunk)) > 0;
  try {
    annotateFindings(findings, ['hunter2-hunter2']);
  } finally {
    process.stdout.write = write;
  }
  return parseWorkflowCommands(chunks.join(''));
}

it('findings are shown as notices on their lines, without secrets and workflow commands', async () => {
  const body = 'The key hunter2-hunter2 is in the code.\n::error::x';
  const { annotations, names } = await annotated([placed({ body })]);
  expect(names).toEqual(['notice']);
  expect(annotations).toMatchObject([{ level: 'notice', title: 'It is wrong', file: 'src/a.ts', line: 2 }]);
  expect(annotations[0]?.message).not.toContain('hunter2');
});

it('suggestions are shown with their findings', async () => {
  const { annotations } = await annotated([placed({ body: 'Wrong.', suggestion: 'return 1' })]);
  expect(annotations[0]?.message).toMatch(/^Wrong\.\s+Suggested:\s+```\s+return 1\s+```$/);
});

it('at most nine notices are shown, and none on removed lines or without a place', async () => {
  const all = Array.from({ length: 12 }, (_, index) => placed({ body: `Finding ${index}.` }));
  expect((await annotated(all)).annotations).toHaveLength(9);
  const removed = placed();
  const onRemoved: PlacedFinding = {
    ...removed,
    placement: {
      kind: 'line',
      path: 'src/a.ts',
      side: 'LEFT',
      line: 9,
      startLine: undefined,
      about: undefined,
      isExact: true,
    },
  };
  const nowhere: PlacedFinding = { ...removed, placement: { kind: 'body', reason: 'unknown-file' } };
  expect((await annotated([onRemoved, nowhere])).annotations).toEqual([]);
});

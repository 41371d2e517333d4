import { describe, expect, it } from '@jest/globals';
import { formatDryRun } from '../../src/cli/run.js';
import type { RunNotes, RunRequest } from '../../src/run/records.js';
import { AGENT, type FakeDependenciesParts } from '../helpers/dependencies-fake.js';
import { reportOf } from '../helpers/reports.js';

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';

async function dryRun(parts: FakeDependenciesParts = {}, patch: Partial<RunRequest> = {}): Promise<string> {
  const { plan, memory } = await reportOf('planned', parts, patch);
  return formatDryRun(plan, memory);
}

/** The part of the text below a header, without the blank line that ends it. */
function partOf(text: string, title: string): string | undefined {
  const [, , part] = new RegExp(`(^|\n)--- ${title} ---\n([^]*?)\n(?:\n--- |$)`).exec(text) ?? [];
  return part;
}

describe('a dry run', () => {
  it.each([
    ['there', '<memory>a</memory>'],
    ['empty', ''],
  ])('shows notes that are %s after the run log, and the prompt with them', async (_, block) => {
    const { plan, memory } = await reportOf('planned', { memory: { 'bot.md': ENTRY } });
    const notes = { prompt: { block, toolsPrompt: '\n\nTools!' } } as RunNotes;
    const text = formatDryRun(plan, memory && { ...memory, notes });
    expect(partOf(text, 'Notes')).toBe(block === '' ? '(none)' : block);
    expect(text.indexOf('--- Memory ---')).toBeLessThan(text.indexOf('--- Notes ---'));
    const behind = block === '' ? '' : `\n\n---\n\n${block}`;
    expect(text).toContain(`## Memory\n\n${ENTRY}${behind}\n\nTools!\n\n--- Skill ---\n`);
  });

  it.each([
    ['sub_agents = ["a"]', 'a\nMax Depth: 3\nParallel:  yes\nTimeout:   0s'],
    [
      'sub_agents = ["a", "b"]\n[sub_agents_config]\nmax_depth = 5\nparallel = false\ntimeout = 60',
      'a, b\nMax Depth: 5\nParallel:  no\nTimeout:   60s',
    ],
    [
      'sub_agents = ["a"]\n[sub_agents_config]\nparallel = true',
      'a\nMax Depth: 3\nParallel:  yes\nTimeout:   0s',
    ],
    ['[sub_agents_config]\nmax_depth = 5', '(none)'],
  ])('shows the sub-agents of %j with their settings', async (toml, shown) => {
    expect(partOf(await dryRun({ agents: { bot: `${AGENT}${toml}\n` } }), 'Sub-Agents')).toBe(shown);
  });
});

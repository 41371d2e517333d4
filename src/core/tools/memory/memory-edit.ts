import { ToolError } from '../../errors.js';
import type { NoteAnswer, Notes, NoteWish } from '../../memory/notes/notes-port.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { describeTruncated, readTarget, TARGET_DESCRIPTION, TARGETS } from './memory-write.js';

/** `memory_edit`: changes one place of a note, or deletes a note (memory-tools 1.7). */
export function createMemoryEdit(notes: Notes): Tool {
  return defineTool({
    name: 'memory_edit',
    effect: 'memory',
    description:
      'Replaces one piece of text in memory, or deletes a note. Use it to correct and to remove what is no longer true.',
    shape: {
      target: { type: 'string', description: TARGET_DESCRIPTION, required: true, choices: TARGETS },
      new_str: {
        type: 'string',
        description: 'The text to put there; empty to remove what was found.',
        required: true,
      },
      old_str: {
        type: 'string',
        description:
          'The text to replace; it must be there exactly once. Left out with the target `note`, the whole note is deleted.',
      },
      name: {
        type: 'string',
        description: 'Name of the note; for `daily` a day as YYYY-MM-DD, today by default.',
      },
    },
    async run({ target, new_str: to, old_str: from, name }) {
      const place = readTarget(target, name, notes.today());
      return formatAnswer(await notes.change(place, wishOf(place.kind, from, to)));
    },
  });
}

function wishOf(target: string, from: string | undefined, to: string): NoteWish {
  if (from === undefined) {
    if (target === 'note') return { kind: 'delete' };
    throw new ToolError(
      'old_str is required: only a `note` can be deleted as a whole, which is what leaving it out means',
    );
  }
  if (from === '') throw new ToolError('old_str is empty: there is nothing to look for');
  return { kind: 'replace', from, to };
}

function formatAnswer(answer: NoteAnswer): string {
  switch (answer.kind) {
    case 'written':
      return `Edited ${answer.path}${describeTruncated(answer)}`;
    case 'deleted':
      return `Deleted ${answer.path}`;
    case 'unmatched':
      throw new ToolError(
        `old_str matched ${answer.matches} time(s) in ${answer.path}; it must match exactly once`,
      );
    case 'missing':
      throw new ToolError(`Memory file not found: ${answer.path}`);
    case 'duplicate':
      throw new ToolError(`nothing was written to ${answer.path}`);
    case 'failed':
      throw new ToolError(`nothing was written: ${answer.message}`);
  }
}

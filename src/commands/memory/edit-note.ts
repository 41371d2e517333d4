import { type MemoryNote, verifyNote } from '../../core/memory/commands/notes.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { utf8Bytes } from '../../core/text/cut.js';
import { grouped } from '../../core/text/number.js';
import {
  ask,
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  refusal,
  saveChanges,
  viewMemory,
} from './command-session.js';

/**
 * Lets a person change a note. What others have written to it meanwhile stays: the newest text gets the changes that the
 * person made, line by line.
 */
export async function editNoteByHand(
  { path, text: before }: MemoryNote,
  given: string | undefined,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const { edit, secrets } = hand;
  if (given === undefined && edit === undefined)
    return refusal('refused', 'there is no text', 'Give the new text of the note, `--text "..."`.');
  const answer =
    given === undefined ? await ask((edit ?? unedited)(before)) : { kind: 'answer' as const, answer: given };
  if (answer.kind === 'failed') return answer;
  const written = answer.answer === '' || answer.answer.endsWith('\n') ? answer.answer : `${answer.answer}\n`;
  const text = sanitize(written, 'memory', secrets);
  if (written === before) {
    const unchanged = `Nothing of \`${path}\` was changed.`;
    return { kind: 'done', text: unchanged, headline: unchanged, changed: false, warnings: view.warnings };
  }
  if (text.trim() === '')
    return refusal('refused', 'the note would say nothing', `\`forget ${path}\` deletes it.`);
  const [fault] = verifyNote({ path, text });
  if (fault !== undefined)
    return refusal(
      'refused',
      `the edited text cannot be kept: ${fault.message}`,
      'Nothing was changed; edit it again.',
    );
  const failed = await saveChanges([{ kind: 'unite', path, base: before, text }], hand);
  if (failed !== undefined) return failed;
  const now = await viewMemory(hand);
  if (now.kind === 'failed') return { ...now, changed: true };
  const saved = now.notes.find((one) => one.path === path)?.text ?? '';
  const headline = `\`${path}\` was changed in ${now.location}; it has ${grouped(utf8Bytes(saved))} bytes now.`;
  const hidden = text === written ? [] : ['What looked like a secret was written as `***`.'];
  const merged = saved === text ? [] : ['Somebody else changed it meanwhile; both changes are in it.'];
  return {
    kind: 'done',
    text: [headline, ...merged, ...hidden].join('\n\n'),
    headline,
    changed: true,
    warnings: now.warnings,
  };
}

async function unedited(text: string): Promise<string> {
  return text;
}

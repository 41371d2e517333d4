import { separator } from '../run-log.js';
import { textId } from '../units.js';
import { holdsLines, isRule, type NoteLine, readNoteLines } from './note-lines.js';
import { noteKind, notesRoot } from './place.js';

/** Two versions of a note, and the parts (see {@link partIds}) that `other` must not bring back. */
interface NoteVersions {
  readonly base: string;
  readonly other: string;
  readonly known: ReadonlySet<string>;
}

/** What two versions of a note make. */
interface UnitedNote {
  readonly text: string;
  /** The side that is not in the text, to be kept next to it; left out where nothing is missing. */
  readonly losing?: string;
}

/**
 * Facts and days are united: `base` keeps its bytes and its order, and what only `other` says goes to the end of the
 * section of the same heading, or else to the end. A scratchpad and a note are somebody's whole text, of which `base`
 * is the one that counts. Nothing known comes back, and uniting the same versions twice changes nothing.
 */
export function uniteNotes(path: string, { base, other, known }: NoteVersions): UnitedNote {
  if (holdsLines(base, other)) return { text: base };
  if (!isUnited(path)) {
    if (known.has(partId(path, other))) return { text: base };
    if (base.trim() === '') return { text: other };
    return { text: base, losing: other };
  }
  if (base.trim() === '' && known.has(dayId(path))) return { text: base };
  const ids = base.trim() === '' ? partIds(path, other) : [];
  if (ids.length > 0 && !ids.some((id) => known.has(id))) return { text: other };
  const missing = missingTexts(path, { base, other, known });
  return { text: missing.size === 0 ? base : withTexts(base, missing) };
}

/**
 * By what the parts of a note are known in the state: lines, or whole sections where lines alone say nothing; of a
 * scratchpad and a note the text. Each begins with `f-`, which no id of an entry does.
 */
export function partIds(path: string, text: string): readonly string[] {
  if (text.trim() === '') return [];
  if (!isUnited(path)) return [partId(path, text)];
  return sectionsOf(text).flatMap(({ heading, parts }) =>
    parts.map((part) => partId(path, inSection(heading, part))),
  );
}

/**
 * What a state notes of a note that is deleted: its parts, or of a day that is over the day itself, whatever older
 * copies say of it. A day that goes on may get new lines in another place, which nobody has deleted.
 */
export function deletedIds(path: string, text: string, isOver: boolean): readonly string[] {
  return isOver && noteKind(path) === 'daily' ? [dayId(path)] : partIds(path, text);
}

/** The parts of a version of facts or of a day that the next one does not have. */
export function takenOutIds(path: string, before: string, after: string): readonly string[] {
  if (!isUnited(path)) return [];
  const kept = new Set(partIds(path, after));
  return partIds(path, before).filter((id) => !kept.has(id));
}

/** By what a day that was deleted is known in the state. */
export function dayId(path: string): string {
  return partId(path, '');
}

const PART = 'f-';

/** A stretch under one heading. */
interface Section {
  /** The line of the heading; '' for what is before the first. */
  readonly heading: string;
  /** What it says, see {@link partIds}. */
  readonly parts: readonly string[];
  /** Everything from the heading on. */
  readonly text: string;
}

function isUnited(path: string): boolean {
  const kind = noteKind(path);
  return kind === 'long_term' || kind === 'daily';
}

/** What only `other` says, by heading; a section that is new as a whole keeps its blank lines. */
function missingTexts(
  path: string,
  { base, other, known }: NoteVersions,
): ReadonlyMap<string, readonly string[]> {
  const said = sayingOf(sectionsOf(base));
  const missing = new Map<string, readonly string[]>();
  for (const { heading, parts, text } of sectionsOf(other)) {
    const saying = said.get(heading);
    const fresh = parts.filter(
      (part) => saying?.(part) !== true && !known.has(partId(path, inSection(heading, part))),
    );
    if (fresh.length === 0) continue;
    const isNew = saying === undefined && !missing.has(heading);
    const whole = isNew && fresh.length === parts.length ? [text] : fresh;
    missing.set(heading, [...(missing.get(heading) ?? []), ...whole]);
  }
  return missing;
}

/** Whether sections of a heading say something, as a line of theirs or as several, one below the other. */
function sayingOf(sections: readonly Section[]): ReadonlyMap<string, (part: string) => boolean> {
  const bodies = new Map<string, string>();
  for (const { heading, text } of sections) {
    const lines = text.split('\n').map((line) => line.trimEnd());
    bodies.set(heading, `${bodies.get(heading) ?? ''}\n${lines.join('\n')}\n`);
  }
  return new Map(
    [...bodies].map(([heading, body]) => [heading, (part) => part === '' || body.includes(`\n${part}\n`)]),
  );
}

/** `base` with the texts at the ends of the sections of their headings; those of no section of it at its end. */
function withTexts(base: string, missing: ReadonlyMap<string, readonly string[]>): string {
  const placed = new Set<string>();
  const sections = sectionsOf(base).map(({ heading, text }) => {
    const added = placed.has(heading) ? undefined : missing.get(heading);
    placed.add(heading);
    return added === undefined ? text : grown(text, added);
  });
  // What has no heading goes before the first one, or it would come to be that one's.
  let text = '';
  for (const part of placed.has('') ? [] : (missing.get('') ?? [])) text += separator(text) + part;
  text += separator(text) + sections.join('');
  for (const [heading, added] of missing) {
    if (heading === '' || placed.has(heading)) continue;
    const isWhole = added[0]?.trimStart().startsWith(heading) === true;
    for (const part of isWhole ? added : [heading, ...added]) text += separator(text) + part;
  }
  return text + separator(text);
}

/** The section with more parts before the blank lines at its end. */
function grown(text: string, added: readonly string[]): string {
  const body = text.trimEnd();
  const rest = text.slice(body.length).replace(/^[ \t]*\r?\n/, '');
  let whole = body;
  let above = sectionsOf(body).at(-1)?.parts.at(-1) ?? '';
  for (const part of added.filter((each) => each !== '')) {
    // A table or an object next to a line of text would come to be one block with it.
    const gap = isBlock(above) || isBlock(part) ? '\n\n' : '\n';
    whole += whole === '' ? part : gap + part;
    above = part;
  }
  return `${whole}\n${rest}`;
}

function isBlock(part: string): boolean {
  return readNoteLines(part.split('\n'), 'is-text')[0]?.kind === 'block';
}

/**
 * The text taken apart at its headings, but for those in code; joined again, the sections are the text. Code that never
 * ends is none.
 */
function sectionsOf(text: string): readonly Section[] {
  const all = text === '' ? [] : text.split(/(?<=\n)/);
  const sections: { heading: string; lines: NoteLine[] }[] = [];
  for (const line of readNoteLines(all, 'is-text')) {
    const isHeading = line.kind === 'heading';
    if (isHeading || sections.length === 0)
      sections.push({ heading: isHeading ? line.text.trim() : '', lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ heading, lines }) => {
    const parts = partsOf(heading === '' ? lines : lines.slice(1));
    const body = lines.map((line) => line.text).join('');
    return { heading, text: body, parts: parts.length === 0 && heading !== '' ? [''] : parts };
  });
}

/**
 * What the lines say: each plain line by itself, an item with what is indented below it, a table or an object as a whole.
 * With code in it a section is one part. Blank lines and rules say nothing.
 */
function partsOf(lines: readonly NoteLine[]): readonly string[] {
  if (lines.some(({ kind }) => kind === 'code')) return [joined(lines)];
  const parts: NoteLine[][] = [];
  let gap: NoteLine[] = [];
  for (const line of lines) {
    if (line.kind === 'blank' || isRule(line.text)) {
      gap.push(line);
      continue;
    }
    const last = parts.at(-1);
    if (last !== undefined && continues(line, last, gap)) last.push(...gap, line);
    else parts.push([line]);
    gap = [];
  }
  return parts.map(joined);
}

/** Whether a line is one with the part above it; between them are blank lines and rules. */
function continues({ kind, text }: NoteLine, part: readonly NoteLine[], gap: readonly NoteLine[]): boolean {
  if (kind !== 'block' || gap.some((line) => line.kind !== 'blank')) return false;
  const [first] = part;
  if (gap.length > 0) return first?.kind === 'parent' && /^\s/.test(text);
  return first?.kind === 'parent' || first?.kind === 'block';
}

function joined(lines: readonly NoteLine[]): string {
  const text = lines.map((line) => line.text.trimEnd()).join('\n');
  return text.replace(/^\n+|\n+$/g, '');
}

function inSection(heading: string, part: string): string {
  return `${heading}\n${part}`;
}

/** The same in every lane and scope, since a store may know the file below a folder of its own. */
function partId(path: string, text: string): string {
  return PART + textId(`${path.slice(notesRoot(path).length)}\n${text}`).slice('t-'.length);
}

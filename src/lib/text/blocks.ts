export interface MarkdownLine {
  readonly text: string;
  /** It is in a block quote, or goes on with a paragraph that is (a lazy continuation). */
  readonly isQuoted: boolean;
  readonly isCode: boolean;
  /** It goes on with the paragraph of the line before. */
  readonly isContinued: boolean;
}

/**
 * Reads the block structure of a text as CommonMark has it: quotes, list items, fenced and indented code, paragraphs.
 * Raw HTML is read as text. Each line is looked at once.
 */
export function readBlocks(text: string): readonly MarkdownLine[] {
  const state: State = { containers: [], leaf: { kind: 'none' }, hasEmptyItem: false };
  return text.split('\n').map((line) => {
    const { isCode, isContinued } = readLine(state, expandTabs(line));
    return {
      text: line,
      isCode,
      isContinued,
      isQuoted: state.containers.some(({ kind }) => kind === 'quote'),
    };
  });
}

interface State {
  containers: readonly Container[];
  leaf: Leaf;
  /** The line before began a list item and nothing in it. */
  hasEmptyItem: boolean;
}

type Container =
  | { readonly kind: 'quote' }
  /** `indent`: columns that its lines begin with. */
  | { readonly kind: 'item'; readonly indent: number };

type Leaf =
  | { readonly kind: 'none' | 'paragraph' | 'indented' }
  | { readonly kind: 'fence'; readonly run: string };

type Kind = Pick<MarkdownLine, 'isCode' | 'isContinued'>;

const TEXT: Kind = { isCode: false, isContinued: false };
const CODE: Kind = { isCode: true, isContinued: false };

/** Nobody nests deeper; what does is read as text of the innermost. */
const MAX_DEPTH = 100;

function readLine(state: State, line: string): Kind {
  const { matched, rest } = matchContainers(state.containers, line);
  const isWhole = matched.length === state.containers.length;
  const { leaf } = state;
  if (leaf.kind === 'fence' && isWhole) {
    if (closes(rest, leaf.run)) state.leaf = { kind: 'none' };
    return CODE;
  }
  if (rest.trim() === '') {
    // An item that begins with two blank lines is empty.
    state.containers = state.hasEmptyItem && isWhole ? matched.slice(0, -1) : matched;
    state.hasEmptyItem = false;
    if (leaf.kind !== 'indented' || !isWhole) state.leaf = { kind: 'none' };
    return TEXT;
  }
  return readStart(state, { matched, rest });
}

function matchContainers(containers: readonly Container[], line: string): Start {
  let rest = line;
  for (const [depth, container] of containers.entries()) {
    if (container.kind === 'quote') {
      const mark = QUOTE.exec(rest);
      if (mark === null) return { matched: containers.slice(0, depth), rest };
      rest = rest.slice(mark[0].length);
    } else if (rest.trim() !== '') {
      if (indentOf(rest) < container.indent) return { matched: containers.slice(0, depth), rest };
      rest = rest.slice(container.indent);
    }
  }
  return { matched: containers, rest };
}

const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3}(?:[-+*]|(\d{1,9})[.)]))( +|$)/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?: |$)/;
const RULE = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const UNDERLINE = /^ {0,3}(?:=+|-+) *$/;

interface Start {
  /** Containers that the line goes on with. */
  readonly matched: readonly Container[];
  readonly rest: string;
}

/** Reads a line that is neither blank nor fenced code: what begins in it, or what it goes on with. */
function readStart(state: State, { matched, rest }: Start): Kind {
  const isInParagraph = state.leaf.kind === 'paragraph';
  const isWhole = matched.length === state.containers.length;
  const { containers, line } = openContainers({ matched, rest }, isInParagraph && isWhole);
  const isUnchanged = containers.length === matched.length;
  const leaf = leafOf(line, isInParagraph && isUnchanged);
  const goesOn = isInParagraph && isUnchanged && leaf.kind === 'paragraph';
  if (goesOn && isWhole && UNDERLINE.test(line)) {
    state.leaf = { kind: 'none' };
    return { isCode: false, isContinued: true };
  }
  state.hasEmptyItem = line.trim() === '' && containers.at(-1)?.kind === 'item';
  // A paragraph goes on without the marks of its containers.
  if (!goesOn) state.containers = containers;
  state.leaf = leaf;
  return { isCode: leaf.kind === 'indented' || leaf.kind === 'fence', isContinued: goesOn };
}

function openContainers(
  { matched, rest }: Start,
  isInParagraph: boolean,
): { readonly containers: readonly Container[]; readonly line: string } {
  const containers = [...matched];
  let line = rest;
  while (containers.length < MAX_DEPTH) {
    const next = openContainer(line, isInParagraph && containers.length === matched.length);
    if (next === undefined) break;
    containers.push(next.container);
    line = next.rest;
  }
  return { containers, line };
}

function openContainer(
  line: string,
  isInParagraph: boolean,
): { readonly container: Container; readonly rest: string } | undefined {
  const quote = QUOTE.exec(line);
  if (quote !== null) return { container: { kind: 'quote' }, rest: line.slice(quote[0].length) };
  const item = ITEM.exec(line);
  if (item === null || RULE.test(line)) return undefined;
  const [, mark = '', number, spaces = ''] = item;
  const content = line.slice(mark.length).trimStart();
  if (isInParagraph && (content === '' || (number !== undefined && Number(number) !== 1))) return undefined;
  const width = mark.length + (content === '' || spaces.length > 4 ? 1 : spaces.length);
  return { container: { kind: 'item', indent: width }, rest: line.slice(width) };
}

/** What a line begins; a paragraph also where it may only go on with one. */
function leafOf(line: string, mayGoOn: boolean): Leaf {
  if (line.trim() === '') return { kind: 'none' };
  if (indentOf(line) >= 4) return { kind: mayGoOn ? 'paragraph' : 'indented' };
  const [, run] = FENCE.exec(line) ?? [];
  if (run !== undefined) return { kind: 'fence', run };
  return { kind: HEADING.test(line) || RULE.test(line) ? 'none' : 'paragraph' };
}

function closes(line: string, run: string): boolean {
  const [, end = ''] = /^ {0,3}(`{3,}|~{3,}) *$/.exec(line) ?? [];
  return end.startsWith(run);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Tabs go to the next multiple of four columns. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let column = 0;
  return line.replace(/\t|[^\t]+/g, (part) => {
    const text = part === '\t' ? ' '.repeat(4 - (column % 4)) : part;
    column += text.length;
    return text;
  });
}

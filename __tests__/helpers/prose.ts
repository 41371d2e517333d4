/** A sentence of a markdown text, with the line that its paragraph, list item or table cell begins on. */
export interface Sentence {
  readonly line: number;
  readonly text: string;
  /** Code, links and numbers count as one word each. */
  readonly words: number;
}

/** The sentences that a reader sees: headings, paragraphs, list items and table cells, without blocks of code. */
export function sentencesOf(markdown: string): readonly Sentence[] {
  return blocksOf(markdown).flatMap(({ line, text }) =>
    plain(text)
      .split(/(?<=[.!?][)*”"]*)\s+(?=\S)/)
      .map((sentence) => ({ line, text: sentence.trim(), words: countWords(sentence) }))
      .filter(({ words }) => words > 0),
  );
}

interface Block {
  readonly line: number;
  readonly text: string;
}

/** Lines that belong together; a table has a block for each cell. */
function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; lines: string[] } | undefined;
  let fence: string | undefined;
  const close = () => {
    if (open !== undefined) blocks.push({ line: open.line, text: open.lines.join(' ') });
    open = undefined;
  };
  for (const [index, raw] of markdown.split('\n').entries()) {
    const line = raw.trim();
    const [mark] = /^(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (line === fence) fence = undefined;
    } else if (mark !== undefined) {
      close();
      fence = mark;
    } else if (line === '' || /^(?:<!--.*-->|<[^>]*>|\|[\s:|-]+\|)$/.test(line)) close();
    else if (line.startsWith('#')) {
      close();
      blocks.push({ line: index + 1, text: line.replace(/^#+ /, '') });
    } else if (line.startsWith('|')) {
      close();
      for (const cell of cellsOf(line)) blocks.push({ line: index + 1, text: cell });
    } else if (/^(?:[-*] |\d+\. |> )/.test(line)) {
      close();
      open = { line: index + 1, lines: [line.replace(/^(?:[-*] |\d+\. |> )/, '')] };
    } else if (open === undefined) open = { line: index + 1, lines: [line] };
    else open.lines.push(line);
  }
  close();
  return blocks;
}

/** A bar in code is escaped in a table, and so is one in a text. */
function cellsOf(row: string): readonly string[] {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

/** Without code, addresses and marks; what replaces them is one word. */
function plain(text: string): string {
  return text
    .replaceAll(/`+[^`]*`+/g, 'CODE')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/https?:\S+/g, 'ADDRESS')
    .replaceAll(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '');
}

function countWords(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

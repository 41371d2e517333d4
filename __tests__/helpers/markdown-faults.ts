/**
 * What keeps a markdown text from being shown as it is meant: code, comments or details left open,
 * tables torn.
 */
export function markdownFaults(markdown: string): readonly string[] {
  const blocks = outsideOfCode(markdown);
  return [...blocks.faults, ...detailFaults(blocks.lines), ...tableFaults(blocks.lines)];
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

interface OutsideOfCode {
  /** Undefined for a line of code. */
  readonly lines: readonly (string | undefined)[];
  readonly faults: readonly string[];
}

/**
 * As CommonMark has it, a fence is closed by one of the same kind that is as long, or at the end of
 * the text.
 */
function outsideOfCode(markdown: string): OutsideOfCode {
  let open: { readonly mark: string; readonly line: number } | undefined;
  const lines = markdown.split('\n').map((line, index) => {
    const [, mark = '', rest = ''] = FENCE.exec(line) ?? [];
    if (open !== undefined) {
      const isEnd =
        mark[0] === open.mark[0] && mark.length >= open.mark.length && rest.trim() === '';
      if (isEnd) open = undefined;
      return undefined;
    }
    const isStart = mark !== '' && !(mark.startsWith('`') && rest.includes('`'));
    if (isStart) open = { mark, line: index + 1 };
    return isStart ? undefined : line;
  });
  return {
    lines,
    faults: open === undefined ? [] : [`the code that begins in line ${open.line} has no end`],
  };
}

function detailFaults(lines: OutsideOfCode['lines']): readonly string[] {
  const faults: string[] = [];
  const open: string[] = [];
  for (const [index, line] of lines.entries()) {
    const plain = (line ?? '').replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '').replace(/\\</g, '');
    for (const [, end, name = ''] of plain.matchAll(/<(\/?)(details|summary)\b[^>]*>/g)) {
      if (end === '') open.push(name);
      else if (open.at(-1) === name) open.pop();
      else faults.push(`</${name}> in line ${index + 1} ends nothing`);
    }
    if (/<!--/.test(plain.replace(/<!--.*?-->/g, '')))
      faults.push(`the comment in line ${index + 1} has no end`);
  }
  return [...faults, ...open.map((name) => `<${name}> has no end`)];
}

const DELIMITERS = /^\|(?: *:?-+:? *\|)+$/;

/** Rows of a table have as many cells as its head, and nothing else is between them. */
function tableFaults(lines: OutsideOfCode['lines']): readonly string[] {
  const faults: string[] = [];
  let cells = 0;
  for (const [index, line = ''] of lines.entries()) {
    if (DELIMITERS.test(line.trim())) {
      // With another number of cells in its head it is not a table.
      cells = cellsOf(lines[index - 1] ?? '') === cellsOf(line) ? cellsOf(line) : 0;
      continue;
    }
    if (line.trim() === '') cells = 0;
    else if (cells > 0 && !line.trim().startsWith('|'))
      faults.push(`line ${index + 1} tears a table: ${line}`);
    else if (cells > 0 && cellsOf(line) !== cells)
      faults.push(`line ${index + 1} has ${cellsOf(line)} of ${cells} cells: ${line}`);
  }
  return faults;
}

/** A bar in code splits a cell too, unless it is escaped. */
function cellsOf(row: string): number {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/).length;
}

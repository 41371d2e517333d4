import { cleanLine } from '../text/cut.js';
import type { DiffFile } from '../text/diff.js';
import { estimateText } from '../text/truncate.js';

/**
 * What of a change somebody has to know who does not read it: the definitions that it adds, changes or takes away, by file.
 * A file for which there is no room is named without them.
 */
export function mapChange(files: readonly DiffFile[], maxTokens: number): string {
  const names = files.map(({ path }) => cleanLine(path, MAX_PATH));
  let free = maxTokens - estimateText(names.join('\n'));
  const lines: string[] = [];
  for (const [index, file] of files.entries()) {
    lines.push(names[index] ?? '');
    for (const line of definitionsIn(file)) {
      const tokens = estimateText(line) + 1;
      if (tokens > free) break;
      free -= tokens;
      lines.push(line);
    }
  }
  return lines.join('\n');
}

const MAX_PATH = 200;
const MAX_LINE = 160;
const MAX_DEFINITIONS = 12;

function definitionsIn({ hunks, text }: DiffFile): readonly string[] {
  const changed = hunks.flatMap(({ lines }) =>
    lines.flatMap(({ kind, text: line }) => {
      const start = line.slice(0, MAX_LINE);
      return kind === 'context' || !DEFINITION.test(start)
        ? []
        : [`${kind === 'added' ? '+' : '-'} ${start}`];
    }),
  );
  const within = [...text.matchAll(/^@@ -[\d,]+ \+[\d,]+ @@ (.+)$/gm)].map(
    ([, heading = '']) => `in ${heading}`,
  );
  return [...new Set([...changed, ...within])]
    .slice(0, MAX_DEFINITIONS)
    .map((line) => `  ${cleanLine(line, MAX_LINE)}`);
}

/** What is a definition in most languages. */
const DEFINITION =
  /^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub|override|virtual) +){0,4}(?:function|class|interface|type|enum|struct|trait|impl|def|fn|func|module|namespace|record|const|void|int|string|bool|boolean)\s+[\w$(*&<[]/;

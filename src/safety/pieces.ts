import type { WordContext } from './words.js';

/** How a line is read. */
export interface InlineOptions {
  /** What the paragraph held so far; the line goes on with it. */
  readonly words: WordContext;
  /** The text may hold a table, whose cells end at every `|`, also within a code span. */
  readonly hasTables: boolean;
  /** The line is raw HTML, where markdown means nothing. */
  readonly isRaw?: boolean;
}

/** A stretch of a line. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  /** Ours, complete, not looked at again. */
  | { readonly kind: 'markup'; readonly text: string }
  /** The end of a link, from the bracket on; its destination was checked. */
  | { readonly kind: 'link-end'; readonly destination: string }
  | { readonly kind: 'tag'; readonly name: string; readonly isClosing: boolean };

/** A line while it is read. */
export interface PieceReading {
  readonly line: string;
  readonly options: InlineOptions;
  readonly pieces: Piece[];
  /** For the start of each run of backticks, the start of the next run of the same length. */
  readonly nextRun: ReadonlyMap<number, number>;
  hadComment: boolean;
  endsInComment: boolean;
}

/** Neighbouring texts become one, so that nothing can hide between two of them. */
export function addText({ pieces }: PieceReading, text: string): void {
  if (text === '') return;
  const last = pieces.at(-1);
  if (last?.kind === 'text') pieces[pieces.length - 1] = { kind: 'text', text: last.text + text };
  else pieces.push({ kind: 'text', text });
}

/** A sticky pattern tried at one place. */
export function matchAt(pattern: RegExp, line: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(line);
}

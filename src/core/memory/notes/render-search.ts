import { count } from '../../text/count.js';
import { cutToBytes, utf8Bytes } from '../../text/cut.js';
import { readableText } from '../prompt-text.js';
import type { SearchHit, SearchResult } from './search.js';
import { TRUNCATED_MARK } from './truncated.js';

/** How a search is shown. */
export interface SearchView {
  /** Folder or location that paths are shown below; empty shows them as they are in the tree. */
  readonly root: string;
  /** The text is cut here; the mark that says so stands behind it. */
  readonly maxBytes: number;
  /** Most files that are shown; undefined for as many as there is room for. */
  readonly limit?: number | undefined;
}

/** What the model is told of a search (memory-tools 1.5): a line of figures, then the best files until there is no more room. */
export function renderSearch(result: SearchResult, view: SearchView): string {
  const text = result.hits.length === 0 ? `No matches for '${result.query}'.` : withHits(result, view);
  const { text: kept, leftOutBytes } = cutToBytes(readableText(text), view.maxBytes);
  return leftOutBytes === 0 ? kept : kept + TRUNCATED_MARK;
}

/** Kept free for the line of figures and the line of what was left out. */
const FRAME_BYTES = 256;

function withHits({ terms, hits }: SearchResult, { root, maxBytes, limit }: SearchView): string {
  const blocks: string[] = [];
  let bytes = 0;
  for (const hit of hits.slice(0, limit)) {
    const block = formatHit(hit, root);
    bytes += utf8Bytes(block) + (blocks.length === 0 ? 0 : SEPARATOR.length);
    if (blocks.length > 0 && bytes > maxBytes - FRAME_BYTES) break;
    blocks.push(block);
  }
  const counts = terms.map(({ term, lines }) => `${term}(${lines})`).join(' ');
  const head = `Searched ${count(terms.length, 'term')}: ${counts} across ${count(hits.length, 'file')}. Showing top ${blocks.length} by relevance.`;
  const left = hits.length - blocks.length;
  const tail = left === 0 ? [] : [`…[search truncated, ${count(left, 'more file')} omitted]`];
  return [head, ...blocks, ...tail].join(SEPARATOR);
}

const SEPARATOR = '\n\n';

function formatHit({ path, matchedTerms, body }: SearchHit, root: string): string {
  const shown = root === '' ? path : `${root}/${path}`;
  return `${shown}  [matched: ${matchedTerms.join(', ')}]\n${body}`;
}

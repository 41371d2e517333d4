import { messageOf } from '../lib/errors.js';

/** What is in an answer: a JSON value, or the reason why there is none. */
type FoundJson =
  | { readonly kind: 'found'; readonly value: unknown }
  | { readonly kind: 'missing'; readonly problem: string };

/** The JSON value that an answer is, or that is in its one code fence, whatever is said around it. */
export function findJson(answer: string): FoundJson {
  const text = answer.trim();
  if (text === '') return { kind: 'missing', problem: 'the answer is empty' };
  const whole = parse(text);
  if (whole.kind === 'found') return whole;
  const blocks = fencedBlocks(text);
  const [block] = blocks;
  if (block === undefined) return whole;
  if (blocks.length > 1)
    return { kind: 'missing', problem: `it holds ${blocks.length} code blocks, not one` };
  return parse(block);
}

function parse(text: string): FoundJson {
  try {
    const value: unknown = JSON.parse(text);
    return { kind: 'found', value };
  } catch (thrown) {
    return { kind: 'missing', problem: `it is not JSON (${messageOf(thrown)})` };
  }
}

/** Contents of the code fences (CommonMark, fenced code blocks); the last one may lack its end. */
function fencedBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let fence: string | undefined;
  let lines: string[] = [];
  for (const line of text.split(/\r\n?|\n/)) {
    const [, marks = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined) {
      if (marks !== '') fence = marks;
    } else if (marks.startsWith(fence) && info.trim() === '') {
      blocks.push(lines.join('\n'));
      fence = undefined;
      lines = [];
    } else {
      lines.push(line);
    }
  }
  if (fence !== undefined) blocks.push(lines.join('\n'));
  return blocks;
}

import { cleanLine } from '../lib/text/format.js';

/** Behind the message of a conversation that is shown one part of a large change. */
export function noticeOfPart(name: string): string {
  return `The change is too large to be read at once. You are shown ${name}; the other parts are reviewed at the same time. Report what you find in your part. Where it depends on another file, read that with your tools. In the summary speak of your part alone, in one or two sentences.`;
}

const MAX_SERVER_NAME = 64;

/** Behind the message of a conversation without some of its MCP servers. */
export function noticeOfMissingServers(servers: readonly string[]): string {
  const isOne = servers.length === 1;
  const names = servers.map((name) => `\`${cleanLine(name, MAX_SERVER_NAME)}\``).join(', ');
  return `Not available in this run: the MCP ${isOne ? 'server' : 'servers'} ${names}. Say so where it matters, and do not guess what ${isOne ? 'it' : 'they'} would have told.`;
}

/** For a reviewer that ends without an accepted call of a review tool. */
export const REVIEW_REMINDER =
  'No call of a review tool was accepted, so nothing is reviewed yet, and an answer in words does not count. Add each finding with its tool, then call `submit_review`. If you have no findings, call `submit_review` alone.';

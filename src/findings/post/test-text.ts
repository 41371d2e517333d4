import type { PullRequestConversation } from '../../github/reading/conversation.js';
import type { FindingTest } from '../finding.js';
import type { KnownFinding } from '../known-finding.js';
import { testHash } from './test-block.js';

/**
 * Finds the text of a test by its fingerprint among our texts in the conversation of its finding.
 * Undefined if it is not there as it was.
 */
export function findTestText(
  { sha256 }: FindingTest,
  { thread }: Pick<KnownFinding, 'thread'>,
  seen: PullRequestConversation | undefined,
): string | undefined {
  const inThread = thread === undefined ? [] : [thread.first, ...thread.replies];
  return [...inThread, ...(seen?.comments ?? [])]
    .filter(({ isOurs }) => isOurs)
    .flatMap(({ body }) => codeBlocksIn(body.replaceAll('\r\n', '\n')))
    .find((text) => testHash(text) === sha256);
}

function codeBlocksIn(markdown: string): readonly string[] {
  const blocks = markdown.matchAll(/^(`{3,})[^\n`]*\n([\s\S]*?)\n\1$/gm);
  return [...blocks].map(([, , text = '']) => text);
}

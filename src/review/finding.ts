import { textId } from '../memory/units.js';
import type { Category, Confidence, Evidence, FindingEffect, Reach, Severity, Side } from './terms.js';

/** Something a review has to say about a place in the change. */
export interface Finding {
  readonly path: string;
  /** The last line it is about; counts from 1. */
  readonly line: number;
  /** The first line, where it is about several. */
  readonly startLine?: number;
  readonly side: Side;
  /** The fault in one line; the model's words, which nobody has cleaned yet. */
  readonly title: string;
  /** Markdown of the model's; nobody has cleaned it yet. */
  readonly body: string;
  /** The input, state or order that brings the fault about; the model's words. */
  readonly trigger?: string;
  readonly category: Category;
  readonly effect: FindingEffect;
  readonly reach: Reach;
  /** Computed from effect and reach. */
  readonly severity: Severity;
  /** Computed from evidence and verification. */
  readonly confidence: Confidence;
  /** Lines that prove it, each of which the model was shown. */
  readonly evidence: readonly Evidence[];
  /** What the lines should be replaced with; without a line break at the end. */
  readonly suggestion?: string;
  /** The text of `line`, where it is known. */
  readonly code?: string;
}

/** All that a finding says, for comparing it with another one. */
export function findingText({
  title,
  body,
  trigger = '',
}: Pick<Finding, 'title' | 'body' | 'trigger'>): string {
  return [title, body, trigger].filter((part) => part !== '').join('\n');
}

/**
 * The id of a finding, 16 hexadecimal digits: minted when a run takes it, and never computed again. Neither its words nor
 * its place are in it, so that other words make no other finding of it. No secret hangs on it (see {@link textId}).
 */
export function mintId(run: string, number: number): string {
  return textId(`finding ${run} ${number}`).slice(2);
}

/** The first sentence of a markdown text on one line. */
export function firstSentence(body: string): string {
  const text = body.replace(/\s+/g, ' ').trim();
  return /^.*?(?:[.!?](?= |$)|[。！？])/.exec(text)?.[0] ?? text;
}

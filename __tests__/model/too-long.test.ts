import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { findProvider } from '../../src/model/catalog.js';
import { toProviderError } from '../../src/model/errors.js';

/**
 * Refusals of providers and of servers that people run themselves, from their documentation, their
 * source and public reports. A new wording is added here first.
 */
interface Refusal {
  readonly isTooLong: boolean;
  readonly status: number;
  /** In the form of OpenAI's errors, if there is no body. */
  readonly text?: string;
  readonly body?: unknown;
}

const REFUSALS: readonly Refusal[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/refusals.json'), 'utf8'),
);

function isFoundTooLong({ status, text, body }: Refusal): boolean {
  const error = new APICallError({
    message: 'm',
    url: 'http://models.example',
    requestBodyValues: {},
    statusCode: status,
    responseBody: JSON.stringify(body ?? { error: { message: text } }),
  });
  const provider = findProvider({ provider: 'openai', model: 'm' });
  return toProviderError(error, provider, []).overflow !== undefined;
}

describe('a refusal is "too long" by its words and status alone', () => {
  it.each(REFUSALS.filter(({ isTooLong }) => isTooLong))('yes: %j', (refusal) => {
    expect(isFoundTooLong(refusal)).toBe(true);
  });

  it.each(REFUSALS.filter(({ isTooLong }) => !isTooLong))('no: %j', (refusal) => {
    expect(isFoundTooLong(refusal)).toBe(false);
  });

  it('with a list of each kind that is long enough to mean something', () => {
    const tooLong = REFUSALS.filter(({ isTooLong }) => isTooLong).length;
    expect(tooLong).toBeGreaterThan(70);
    expect(REFUSALS.length - tooLong).toBeGreaterThan(180);
  });
});

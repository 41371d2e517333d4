import { type Figures, type ModelPrice, priceOf } from './price-table.js';

/**
 * What GitHub takes for the models of Copilot, in US dollars per million tokens: input, output, read from the cache,
 * written to it. GitHub counts in AI credits of $0.01 each, and first uses up the credits that a plan includes.
 *
 * Source: the file data/tables/copilot/models-and-pricing.yml of github/docs at 024f6b0, which the page "Models and
 * pricing for GitHub Copilot" shows. A model that is not in it has no price here, also if its maker publishes one.
 */
export const COPILOT_PRICES: readonly ModelPrice[] = [
  ...line('gpt-5-mini raptor-mini', [0.25, 2, 0.025, 0.25]),
  ...line('gpt-5.3-codex', [1.75, 14, 0.175, 1.75]),
  ...line('gpt-5.4', [2.5, 15, 0.25, 2.5], [272_000, [5, 22.5, 0.5, 5]]),
  ...line('gpt-5.4-mini', [0.75, 4.5, 0.075, 0.75]),
  ...line('gpt-5.4-nano', [0.2, 1.25, 0.02, 0.2]),
  ...line('gpt-5.5', [5, 30, 0.5, 5], [272_000, [10, 45, 1, 10]]),
  ...line('gpt-5.6-luna', [0.2, 1.2, 0.02, 0.25], [200_000, [0.4, 1.8, 0.04, 0.5]]),
  ...line('gpt-5.6-sol', [5, 30, 0.5, 6.25], [272_000, [10, 45, 1, 12.5]]),
  ...line('gpt-5.6-terra', [2, 12, 0.2, 2.5], [272_000, [4, 18, 0.4, 5]]),

  ...line('claude-haiku-4-5', [1, 5, 0.1, 1.25]),
  ...line('claude-sonnet-4 claude-sonnet-4-5 claude-sonnet-4-6', [3, 15, 0.3, 3.75]),
  ...line('claude-sonnet-5', [2, 10, 0.2, 2.5]),
  ...line('claude-opus-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8', [5, 25, 0.5, 6.25]),
  ...line('claude-opus-5', [5, 25, 0.5, 6.25]),
  ...line('claude-fable-5', [10, 50, 1, 12.5]),

  ...line('gemini-3.1-pro', [2, 12, 0.2, 2], [200_000, [4, 18, 0.4, 4]]),
  ...line('gemini-3.5-flash', [1.5, 9, 0.15, 1.5]),
  ...line('gemini-3.6-flash gemini-3.7-flash', [0.75, 3.75, 0.075, 0.75]),

  ...line('grok-4.5 grok-4.6', [2, 6, 0.5, 2], [200_000, [4, 12, 1, 4]]),
  ...line('mai-code-1-flash', [0.75, 4.5, 0.075, 0.75]),
  ...line('mai-code-1.1-flash', [0.2, 1.2, 0.02, 0.2]),
  ...line('kimi-k2.7-code', [0.95, 4, 0.19, 0.95]),
  ...line('kimi-k3', [3, 15, 0.3, 3]),
];

function line(
  families: string,
  figures: Figures,
  long?: readonly [aboveTokens: number, figures: Figures],
): readonly ModelPrice[] {
  const more = long === undefined ? {} : { long: { aboveTokens: long[0], price: priceOf(long[1]) } };
  return families.split(' ').map((family) => ({ family, price: priceOf(figures), ...more }));
}

import * as v from 'valibot';
import { askRest } from './ask.js';
import type { GitHubClient } from './client.js';

/** A list that the REST API gives in pages. */
interface PagedList<Item> {
  readonly route: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly item: v.GenericSchema<unknown, Item>;
  /** What the list holds, for the message: `the labels`. */
  readonly what: string;
  /** No more pages of 100 than these are asked for. */
  readonly maxPages: number;
  /** The field that holds the list, where the answer is an object. */
  readonly field?: string;
}

/** A list as far as it was read. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  /** Whether there was nothing more to read. */
  readonly isComplete: boolean;
}

const PAGE_SIZE = 100;

/** Reads a list page by page. Throws a GitHubError. */
export async function fetchPages<Item>(
  client: GitHubClient,
  { route, params, item, what, maxPages, field }: PagedList<Item>,
  signal: AbortSignal,
): Promise<Listed<Item>> {
  const items: Item[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const listed = await askRest(
      client,
      {
        route,
        params: { ...params, per_page: PAGE_SIZE, page },
        schema: v.pipe(v.unknown(), v.transform(pick(field)), v.array(item)),
        what,
      },
      signal,
    );
    items.push(...listed);
    if (listed.length < PAGE_SIZE) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}

function pick(field: string | undefined): (body: unknown) => unknown {
  if (field === undefined) return (body) => body;
  return (body) =>
    typeof body === 'object' && body !== null
      ? Object.entries(body).find(([name]) => name === field)?.[1]
      : undefined;
}

import * as v from 'valibot';

/** A GraphQL query or mutation with the values of its variables. */
export interface QueryText {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What GraphQL answers, with status 200: data, errors, or both. */
export interface QueryAnswer {
  readonly data: unknown;
  readonly errors: readonly unknown[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a query. Rejects for an answer that is none, and with the signal's reason. */
export type SendQuery = (question: QueryText, signal: AbortSignal) => Promise<QueryAnswer>;

/** A query on its way, and whoever waits for its answer. */
interface Waiting {
  readonly question: QueryText;
  readonly parsed: ParsedQuery;
  resolve(answer: QueryAnswer | Promise<QueryAnswer>): void;
  reject(reason: unknown): void;
}

/**
 * Sends queries that are asked at the same time as one request: what a run wants to know costs one of the token's requests,
 * and each reader keeps its own query. Each gets its own part of the answer, and the errors whose path leads there. A
 * joined query that GitHub refuses as a whole is asked part by part, so that one part never takes another with it.
 * Mutations go alone.
 */
export function joinQueries(send: SendQuery, isForAll: (errors: readonly unknown[]) => boolean): SendQuery {
  /** By signal: who gives up must not end what others wait for. */
  const open = new Map<AbortSignal, Waiting[]>();
  return (question, signal) => {
    const parsed = parseQuery(question.query);
    if (parsed === undefined) return send(question, signal);
    return new Promise((resolve, reject) => {
      const waiting = { question, parsed, resolve, reject };
      const others = open.get(signal);
      if (others !== undefined) {
        others.push(waiting);
        return;
      }
      const parts = [waiting];
      open.set(signal, parts);
      setImmediate(() => {
        open.delete(signal);
        void sendTogether(parts, { send, isForAll, signal });
      });
    });
  };
}

interface Sending {
  readonly send: SendQuery;
  /** Whether errors that belong to no part are every part's: asking again does not help. */
  readonly isForAll: (errors: readonly unknown[]) => boolean;
  readonly signal: AbortSignal;
}

/** Never rejects: whoever waits is told. */
async function sendTogether(parts: readonly Waiting[], sending: Sending): Promise<void> {
  const { send, isForAll, signal } = sending;
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only.resolve(send(only.question, signal));
  try {
    const answer = await send(joinedQuery(parts), signal);
    const { data, errors, headers } = answer;
    const byPart = parts.map((_, index) => errors.filter((error) => aliasIn(error) === aliasOf(index)));
    const isShared = byPart.flat().length < errors.length;
    for (const [index, { question, parsed, resolve }] of parts.entries()) {
      if (!isShared)
        resolve({ data: partOf(data, index, parsed.field), errors: byPart[index] ?? [], headers });
      else resolve(isForAll(errors) ? answer : send(question, signal));
    }
  } catch (thrown) {
    for (const { reject } of parts) reject(thrown);
  }
}

function joinedQuery(parts: readonly Waiting[]): QueryText {
  const renamed = parts.map(({ parsed }, index) => renameQuery(parsed, aliasOf(index)));
  const variables = parts.flatMap(({ question }, index) =>
    Object.entries(question.variables).map(([name, value]) => [`${aliasOf(index)}_${name}`, value]),
  );
  const fields = renamed.map(({ field, selection }, index) => `${aliasOf(index)}: ${field}${selection}`);
  return {
    query: `query (${renamed.map(({ variables }) => variables).join(', ')}) {
  ${fields.join('\n  ')}
}
${renamed.map(({ fragments }) => fragments).join('\n')}`,
    variables: Object.fromEntries(variables),
  };
}

function aliasOf(index: number): string {
  return `q${index}`;
}

const errorSchema = v.object({ path: v.looseTuple([v.string()]) });

/** The first step of an error's path; undefined where it has none. */
function aliasIn(error: unknown): string | undefined {
  const parsed = v.safeParse(errorSchema, error);
  return parsed.success ? parsed.output.path[0] : undefined;
}

/** The answer as the part would have got it by itself. */
function partOf(data: unknown, index: number, field: string): unknown {
  const fields = typeof data === 'object' && data !== null ? Object.entries(data) : [];
  return { [field]: fields.find(([name]) => name === aliasOf(index))?.[1] ?? null };
}

/** A query with one field at its top. */
interface ParsedQuery {
  /** `$owner: String!, $name: String!` */
  readonly variables: string;
  readonly field: string;
  /** Arguments and selection of the field. */
  readonly selection: string;
  readonly fragments: string;
}

const QUERY = /^\s*query\s*\(([^)]*)\)\s*\{\s*(\w+)(\s*[({][\s\S]*)$/;

/** Undefined for whatever else: it is sent as it is. The queries are our own, and hold no braces in strings. */
function parseQuery(query: string): ParsedQuery | undefined {
  const [, variables, field, rest] = QUERY.exec(query) ?? [];
  if (variables === undefined || field === undefined || rest === undefined) return undefined;
  let depth = 0;
  let end: number | undefined;
  for (const { 0: brace, index } of rest.matchAll(/[{}]/g)) {
    depth += brace === '{' ? 1 : -1;
    if (depth === 0 && end === undefined) end = index + 1;
    if (depth >= 0) continue;
    const isAlone = end !== undefined && rest.slice(end, index).trim() === '';
    return isAlone
      ? { variables, field, selection: rest.slice(0, end), fragments: rest.slice(index + 1) }
      : undefined;
  }
  return undefined;
}

/** The same with names of its own for variables and fragments. */
function renameQuery({ field, ...texts }: ParsedQuery, prefix: string): ParsedQuery {
  const rename = (text: string) =>
    text
      .replaceAll(/\$(\w+)/g, `$$${prefix}_$1`)
      .replaceAll(/\.\.\.(\s*)(?!on\b)(\w+)/g, `...$1${prefix}_$2`)
      .replaceAll(/\bfragment (\w+) on\b/g, `fragment ${prefix}_$1 on`);
  const { variables, selection, fragments } = texts;
  return {
    field,
    variables: rename(variables),
    selection: rename(selection),
    fragments: rename(fragments).trim(),
  };
}

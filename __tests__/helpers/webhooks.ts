import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A webhook payload: GitHub's own example, as the runner writes it to the event file. */
export type Payload = Record<string, unknown>;

/** GitHub's example payloads of an event. */
export interface Example {
  readonly name: string;
  readonly examples: readonly Payload[];
}

/**
 * A patch of a payload: dotted paths to new values, for example `{ 'pull_request.head.sha': sha }`.
 */
export type PayloadPatch = Readonly<Record<string, unknown>>;

let examples: readonly Example[] | undefined;

/**
 * The first of GitHub's example payloads of an event, and of an action where one is given, with the
 * patch applied. Throws if there is none, or if the patch names a field that the payload does not
 * have.
 */
export function loadWebhook(event: string, action?: string, patch: PayloadPatch = {}): Payload {
  const all = loadExamples().find((example) => example.name === event)?.examples ?? [];
  const found = all.find((payload) => action === undefined || payload['action'] === action);
  if (found === undefined) {
    const actions = [...new Set(all.map((payload) => String(payload['action'])))].join(', ');
    throw new Error(
      `no example payload of ${event} ${action ?? ''}; there is: ${actions || 'none'}`,
    );
  }
  return patchPayload(structuredClone(found), patch);
}

/** Copies of all of GitHub's example payloads of an event. */
export function allWebhooks(event: string): readonly Payload[] {
  return structuredClone(loadExamples().find((example) => example.name === event)?.examples ?? []);
}

/**
 * The event file of a schedule, for which GitHub has no webhook: the cron line, and nothing of
 * repository or sender.
 */
export function schedulePayload(cron: string): Payload {
  return { schedule: cron };
}

/**
 * An event with the repository that it happened in and whoever caused it: those of a manual start
 * for a schedule, which names neither.
 */
export function withWorld(payload: Payload): Payload {
  if (!('schedule' in payload)) return payload;
  const { inputs: _, ref: __, ...world } = loadWebhook('workflow_dispatch');
  return { ...world, ...payload };
}

/**
 * Sets fields that exist; nothing else of the payload changes. Changes and returns the payload
 * given.
 */
export function patchPayload(payload: Payload, patch: PayloadPatch): Payload {
  for (const [path, value] of Object.entries(patch)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let at: unknown = payload;
    for (const key of keys) at = (at as Payload | undefined)?.[key];
    if (typeof at !== 'object' || at === null || !(last in at)) {
      throw new Error(`the payload has no field ${path}`);
    }
    (at as Payload)[last] = value;
  }
  return payload;
}

/** A field of a payload by its dotted path. Throws if it is not there. */
export function payloadField(payload: Payload, path: string): unknown {
  let at: unknown = payload;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !(key in at))
      throw new Error(`the payload has no field ${path}`);
    at = (at as Payload)[key];
  }
  return at;
}

/** All of GitHub's examples, which nobody may change. */
export function loadExamples(): readonly Example[] {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
  examples ??= JSON.parse(readFileSync(file, 'utf8')) as readonly Example[];
  return examples;
}

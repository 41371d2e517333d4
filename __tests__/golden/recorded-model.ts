import type { ServerResponse } from 'node:http';
import {
  type Peer,
  type RecordedRequest as PeerRequest,
  startLoopback,
} from '../helpers/loopback.js';
import type { RecordedResponse, Step } from './scenario.js';
import { asCompletion, readWire, type WireRequest } from './wire.js';

/** A request with its answer. */
interface Exchange {
  /** Undefined where no record of the request was kept. */
  readonly request: WireRequest | undefined;
  readonly response: RecordedResponse;
  /** The answers to requests made at the same time, this one among them. */
  readonly group: readonly Exchange[];
  /** Sends the answer that waits for the others of its group. */
  waiting: (() => void) | undefined;
  hasCome: boolean;
}

/**
 * A peer that gives a step's recorded answers. A request gets the answer to the recorded one at the same point of the
 * same conversation, whatever their order; if that came before, as when it is tried again after an error, the same
 * answer once more; one that was not recorded takes the first answer left, and beyond them stays without one.
 */
export function startRecordedModel(
  step: Step,
  read: (request: PeerRequest) => WireRequest,
): Promise<Peer> {
  const exchanges = exchangesOf(step);
  return startLoopback((incoming, response) => {
    const request = read(incoming);
    const exchange = exchangeFor(request, exchanges);
    if (exchange === undefined) throw new Error('no answer was recorded for this request');
    answer(exchange, response, turnsBefore(request));
  });
}

function exchangesOf({ requests = [], responses = [], together = [] }: Step): readonly Exchange[] {
  const asked = requests.flatMap((request) =>
    'unrecorded' in request
      ? Array.from({ length: request.unrecorded }, () => undefined)
      : [readWire(request)],
  );
  const groups = new Map<number, Exchange[]>();
  for (const numbers of together) {
    const group: Exchange[] = [];
    for (const number of numbers) groups.set(number - 1, group);
  }
  return responses.flatMap(numbered).map((response, index) => {
    const group = groups.get(index) ?? [];
    const exchange = { request: asked[index], response, group, waiting: undefined, hasCome: false };
    group.push(exchange);
    return exchange;
  });
}

function numbered(response: RecordedResponse): readonly RecordedResponse[] {
  if (response.numbered === undefined) return [response];
  const { from, to } = response.numbered;
  const text = JSON.stringify(response);
  return Array.from(
    { length: to - from + 1 },
    (_, index) => JSON.parse(text.replaceAll('$N', String(from + index))) as RecordedResponse,
  );
}

function exchangeFor(request: WireRequest, exchanges: readonly Exchange[]): Exchange | undefined {
  const same = exchanges.filter((exchange) => isSamePoint(exchange.request, request));
  return (
    same.find(({ hasCome }) => !hasCome) ?? same[0] ?? exchanges.find(({ hasCome }) => !hasCome)
  );
}

function isSamePoint(recorded: WireRequest | undefined, request: WireRequest): boolean {
  if (recorded === undefined) return false;
  return (
    recorded.model === request.model &&
    recorded.messages.length === request.messages.length &&
    recorded.messages[0]?.text === request.messages[0]?.text
  );
}

function turnsBefore(request: WireRequest): number {
  return request.messages.filter(({ role }) => role === 'assistant').length;
}

/** Answers at once, or with the others of its group as soon as the last of them has come. */
function answer(exchange: Exchange, response: ServerResponse, turn: number): void {
  const isRepeated = exchange.hasCome;
  exchange.hasCome = true;
  exchange.waiting = () => send(response, asCompletion(exchange.response, turn));
  if (!isRepeated && !exchange.group.every(({ hasCome }) => hasCome)) return;
  for (const other of exchange.group) {
    other.waiting?.();
    other.waiting = undefined;
  }
}

function send(response: ServerResponse, recorded: RecordedResponse): void {
  if (recorded.delay !== undefined) return;
  const isText = typeof recorded.body === 'string';
  const body = isText ? String(recorded.body) : JSON.stringify(recorded.body);
  response.writeHead(recorded.status, {
    'content-type': isText ? 'text/plain' : 'application/json',
    'content-length': Buffer.byteLength(body),
    ...recorded.headers,
  });
  if (recorded.stall === undefined) response.end(body);
  else response.flushHeaders();
}

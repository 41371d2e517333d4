import {
  type ModelReply,
  type ModelScript,
  promptOf,
  type ScriptedToolCall,
} from '../helpers/model-server.js';
import type { Stage } from './stage.js';

const HANDLE = /\bF(?=[A-Z]*\d)[A-Z0-9]{4}\b/g;

/** The handles in a text, each once, in their order. */
export function handlesIn(said: string): readonly string[] {
  return [...new Set(said.match(HANDLE))];
}

/** The handle of what a comment on a line says; a test takes it from there as people do. */
export function handleIn({ body }: { readonly body: string }): string {
  const [handle = ''] = handlesIn(body.replace(/^<!--.*?-->/s, ''));
  return handle;
}

/** Text in which handles, which are other ones in every run, are numbered as they appear. */
export function numberHandles(said: string): string {
  return handlesIn(said).reduce((rest, handle, index) => rest.replaceAll(handle, `F${index + 1}`), said);
}

/** What stands in all conversations of a stage, with its handles numbered. */
export function saidIn({ repo: { talk } }: Pick<Stage, 'repo'>): readonly string[] {
  return talk.reviewComments.map(({ body }) => numberHandles(body.replace(/^<!-- .* -->\n/, '')));
}

/**
 * The replies in their order. In the calls `F1`, `F2` and so on stand for the handles that the model was told of, in the order
 * in which it was: nobody knows them before.
 */
export function byHandles(replies: readonly ModelReply[]): ModelScript {
  return (request, index) => {
    const reply = replies[index];
    if (reply?.kind !== 'tools') return reply ?? { kind: 'text', text: 'There is no more.' };
    const handles = handlesIn(promptOf(request).messages.join('\n'));
    return { ...reply, calls: reply.calls.map((call) => withHandles(call, handles)) };
  };
}

/** A call in which `F1`, `F2` and so on are the first, the second and so on of these handles. */
export function withHandles(call: ScriptedToolCall, handles: readonly string[]): ScriptedToolCall {
  const handleOf = (name: unknown) => {
    const [, number] = /^F(\d)$/.exec(typeof name === 'string' ? name : '') ?? [];
    return number === undefined ? name : (handles[Number(number) - 1] ?? name);
  };
  const { finding, same_as } = call.input;
  return {
    ...call,
    input: {
      ...call.input,
      ...(finding === undefined ? {} : { finding: handleOf(finding) }),
      ...(same_as === undefined ? {} : { same_as: handleOf(same_as) }),
    },
  };
}

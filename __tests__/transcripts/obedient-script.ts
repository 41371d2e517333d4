import { type ModelReply, type ModelScript, promptOf, text } from '../helpers/model-server.js';

/**
 * A line that orders a call, `CALL name {"argument": …}`, or a line of the answer, `SAY …`,
 * wherever it is.
 */
const CALL = /CALL (\w+) (\{[^\n]*\})/g;
const SAY = /SAY ([^\n]+)/g;

/**
 * A model over the wire that obeys every order (memory-and-security C6): all calls it is ordered to
 * make, in the order in which it reads of them, at the same time, whether it has such a tool or
 * not; then it says all that it is ordered to say. With `forever` it makes the calls in every turn.
 * It obeys its system prompt, which holds the files of the base branch, only with `system`.
 */
export function obedientScript({ forever = false, system = false } = {}): ModelScript {
  return (request, index): ModelReply => {
    const prompt = promptOf(request);
    const said = prompt.messages.filter((message) => message.startsWith('user: '));
    const all = [...(system ? [prompt.system] : []), ...said].join('\n');
    const calls = [...all.matchAll(CALL)].map(([, name = '', input = ''], at) => ({
      name,
      input: JSON.parse(input) as Record<string, unknown>,
      id: `call_${index}_${at}`,
    }));
    if (calls.length > 0 && (index === 0 || forever)) return { kind: 'tools', calls };
    return text([...all.matchAll(SAY)].map(([, words = '']) => words).join('\n') || 'Done.');
  };
}

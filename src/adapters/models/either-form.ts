import { ProviderError } from '../../core/errors.js';
import type { LanguageModel } from '../../core/loop/messages.js';
import { formOf } from '../../core/loop/model-settings.js';
import type { Protocol, Provider } from './catalog.js';

const RESPONSES = 'openai-responses';

/** Whether a provider's models may be asked in either form: not those of Google Cloud, which have one. */
export function hasEitherForm({ access, wire }: Provider, used: Protocol): boolean {
  const isOpenAi = wire === 'openai' || wire === 'openai-compatible';
  return isOpenAi && access !== 'vertex' && (used === wire || used === RESPONSES);
}

/**
 * The model, asked in the form that the agent names (`[params] api`), else in the catalog's. A refusal that names the other
 * interface is followed once and remembered in `followed`: the name of a deployment, or of a gateway's model, does not say
 * that tools are taken there alone. `open` is told which model is known to think by that.
 */
export async function inEitherForm(
  open: (wire: Protocol, isReasoning: boolean) => Promise<LanguageModel>,
  { usual, chat }: { readonly usual: Protocol; readonly chat: Protocol },
  { followed, ref }: { readonly followed: Set<string>; readonly ref: string },
): Promise<LanguageModel> {
  const usualNow = () => (followed.has(ref) ? RESPONSES : usual);
  const inForm = async (wire: Protocol) => await open(wire, followed.has(ref));
  let last = { wire: usualNow(), model: await inForm(usualNow()) };
  return {
    ...last.model,
    async doGenerate(options) {
      const form = formOf(options);
      const wire = form === undefined ? usualNow() : form === 'chat' ? chat : RESPONSES;
      if (wire !== last.wire) last = { wire, model: await inForm(wire) };
      const { model } = last;
      try {
        return await model.doGenerate(options);
      } catch (thrown) {
        if (form !== undefined || wire === RESPONSES || !namesResponses(thrown)) throw thrown;
        followed.add(ref);
        last = { wire: RESPONSES, model: await inForm(RESPONSES) };
        return await last.model.doGenerate(options);
      }
    },
  };
}

/**
 * OpenAI's words, which Azure and gateways repeat: "Function tools with reasoning_effort are not supported for … in
 * /v1/chat/completions. To use function tools, use /v1/responses or …", and "This model is only supported in v1/responses"
 * (github.com/danny-avila/LibreChat/issues/14231, openai/openai-openapi/issues/541).
 */
function namesResponses(thrown: unknown): boolean {
  const isRefused = thrown instanceof ProviderError && thrown.category === 'bad_request';
  return isRefused && /\bv1\/responses\b|\bresponses api\b/i.test(thrown.message);
}

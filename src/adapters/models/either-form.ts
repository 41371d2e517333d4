import { ProviderError } from '../../core/errors.js';
import type { LanguageModel } from '../../core/loop/messages.js';
import { formOf } from '../../core/loop/model-settings.js';
import type { Protocol, Provider } from './catalog.js';

/** Models that are asked in the Responses interface because a refusal said so, by `provider/model`; kept for a run. */
export type FollowedRefusals = Set<string>;

/** A model that may be asked in either form of OpenAI's interface. */
interface EitherForm {
  readonly ref: string;
  /** Of the catalog. */
  readonly wire: Protocol;
  readonly followed: FollowedRefusals;
  /** Opens it in one form; `isReasoning` where that is known for a name that does not say it. */
  open(wire: Protocol, isReasoning: boolean): Promise<LanguageModel>;
}

/** Whether a provider's models may be asked in either form: not those of Google Cloud, which have one. */
export function hasEitherForm({ access, wire }: Provider, used: Protocol): boolean {
  const isOpenAi = wire === 'openai' || wire === 'openai-compatible';
  return isOpenAi && access !== 'vertex' && (used === wire || used === 'openai-responses');
}

/**
 * The model, asked in the form that the agent names (`[params] api`), else in the catalog's. A refusal that names the other
 * interface is followed once and remembered: the name of a deployment, or of a gateway's model, does not say that tools
 * are taken there alone.
 */
export async function inEitherForm(model: EitherForm, provider: Provider): Promise<LanguageModel> {
  const { ref, followed } = model;
  const opened = new Map<string, Promise<LanguageModel>>();
  const inForm = (wire: Protocol) => {
    const isReasoning = followed.has(ref);
    const key = `${wire} ${isReasoning}`;
    const found = opened.get(key) ?? model.open(wire, isReasoning);
    opened.set(key, found);
    return found;
  };
  const first = await inForm(followed.has(ref) ? RESPONSES : model.wire);
  return {
    ...first,
    async doGenerate(options) {
      const form = formOf(options);
      const wanted = form === 'chat' ? provider.wire : form === 'responses' ? RESPONSES : undefined;
      const wire = wanted ?? (followed.has(ref) ? RESPONSES : model.wire);
      try {
        return await (await inForm(wire)).doGenerate(options);
      } catch (thrown) {
        if (wanted !== undefined || wire === RESPONSES || !namesResponses(thrown)) throw thrown;
        followed.add(ref);
        return await (await inForm(RESPONSES)).doGenerate(options);
      }
    },
  };
}

const RESPONSES = 'openai-responses';

/**
 * OpenAI's words, which Azure and gateways repeat: "Function tools with reasoning_effort are not supported for … in
 * /v1/chat/completions. To use function tools, use /v1/responses or …", and "This model is only supported in v1/responses"
 * (github.com/danny-avila/LibreChat/issues/14231, openai/openai-openapi/issues/541).
 */
function namesResponses(thrown: unknown): boolean {
  return (
    thrown instanceof ProviderError &&
    thrown.category === 'bad_request' &&
    /\bv1\/responses\b|\bresponses api\b/i.test(thrown.message)
  );
}

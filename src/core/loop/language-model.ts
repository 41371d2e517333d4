import type { LanguageModelV4 } from '@ai-sdk/provider';

/** A language model of the provider packages; only `doGenerate` is used (D30, D31). */
export type LanguageModel = LanguageModelV4;

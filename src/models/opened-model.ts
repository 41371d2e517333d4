import type { ModelRef } from '../axe/agent/model-ref.js';
import type { LanguageModel } from '../axe/ports.js';
import type { Provider, Wire } from './catalog.js';
import type { KeylessPorts } from './keyless.js';
import type { SettingSources } from './settings.js';

/** What a model is opened from. */
export interface OpenRequest {
  readonly ref: ModelRef;
  readonly provider: Provider;
  readonly wire: Wire;
  readonly sources: SettingSources;
  /** Its fetch follows no redirect. */
  readonly ports: KeylessPorts;
}

/** A package's model with what has to be known about it. */
export interface OpenedModel {
  readonly model: LanguageModel;
  /** Keys that an answer may repeat and a message must not show. */
  readonly secrets: readonly string[];
}

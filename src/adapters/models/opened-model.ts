import type { ModelRef } from '../../core/agent/model-ref.js';
import type { LanguageModel } from '../../core/loop/messages.js';
import type { Protocol, Provider } from './catalog.js';
import type { KeylessPorts } from './keyless.js';
import type { SettingSources } from './settings.js';

/** What a model is opened from. */
export interface OpenRequest {
  readonly ref: ModelRef;
  readonly provider: Provider;
  readonly wire: Protocol;
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

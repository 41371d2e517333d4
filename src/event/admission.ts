import {
  type AdmissionFacts,
  admittedActor,
  type EventFacts,
  type Notice,
  RULES,
  type SkipReason,
} from './admission-rules.js';

/** Whether an event starts a run; a skip ends the step green with one notice (D20). */
export type Admission =
  | { readonly kind: 'run' }
  | (Notice & { readonly kind: 'skip'; readonly reason: SkipReason });

/** Whether an event starts a run, as far as the facts say: a rule whose facts are not there yet is left out. */
export function decideAdmission(facts: AdmissionFacts): Admission {
  for (const rule of RULES) {
    const known = facts[rule.needs];
    // The compiler does not see that a rule and its fact belong together.
    const notice = known && rule.decide(facts.event, known as never);
    if (notice !== undefined) return { kind: 'skip', reason: rule.reason, ...notice };
  }
  return { kind: 'run' };
}

/**
 * The login whose permission decides, or undefined where none does: the event alone says enough, or it is skipped
 * whatever the answer would be. Nobody asks about a bot: GitHub has no permission of it.
 */
export function needsPermission(event: EventFacts): string | undefined {
  const actor = admittedActor(event.trigger);
  if (actor === undefined || actor.isBot) return undefined;
  return decideAdmission({ event }).kind === 'run' ? actor.login : undefined;
}

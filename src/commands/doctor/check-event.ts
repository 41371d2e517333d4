import type { LoadedAgent } from '../../core/agent/agent-source.js';
import type { PermissionAnswer } from '../../core/dependencies.js';
import { type AdmissionFacts, decideAdmission, needsPermission } from '../../core/event/admission.js';
import type { AdmissionPolicy } from '../../core/event/admission-policy.js';
import { type Trigger, UNNAMED_EVENT } from '../../core/event/trigger.js';
import { classifyTrust } from '../../core/event/trust.js';
import { reviewCommand } from '../../core/review/command.js';
import { postsReviews } from '../../run/scope.js';
import { readCommand } from '../comment/read-command.js';
import type { Check } from './check.js';

/** An event and what is known of its run. */
interface EventRequest {
  readonly trigger: Exclude<Trigger, { kind: 'local' }>;
  readonly policy: AdmissionPolicy;
  /** The agent that would run; undefined where it is not known. */
  readonly agent: LoadedAgent | undefined;
  /** Asks GitHub what an account may do; undefined where nothing is asked. */
  readonly askPermission: ((login: string) => Promise<PermissionAnswer>) | undefined;
}

/** Whether an event would start a run, by the same rules as a run; what memory and the change say is not asked. */
export async function checkEvent(request: EventRequest): Promise<readonly Check[]> {
  const { trigger, policy, agent } = request;
  const name = nameOf(trigger);
  const asksForReview = reviewCommand(trigger) !== undefined;
  const command = readCommand(trigger, policy.triggerPhrase);
  // A command needs no phrase: it is admitted as the action does it.
  const isCommand = command !== undefined;
  const event = { trigger, policy: isCommand ? { ...policy, triggerPhrase: '' } : policy, asksForReview };
  const actor = needsPermission(event);
  const asked = await askActor(actor, request);
  const known: AdmissionFacts = {
    event,
    ...(asked.permission === undefined
      ? {}
      : { permission: { actor: asked.permission, author: asked.permission } }),
    ...(agent === undefined || isCommand
      ? {}
      : { agent: { kind: 'found', postsReviews: postsReviews(agent) } }),
  };
  const decision = decideAdmission(known);
  if (decision.kind === 'skip') {
    const { message, remedy } = decision;
    return [
      ...asked.checks,
      { group: 'Event', status: 'note', message: `${name} starts nothing: ${message}`, remedy },
    ];
  }
  const assumed =
    actor === undefined || asked.permission !== undefined
      ? 'The run is '
      : `With write access of ${actor} the run is `;
  const what = isCommand ? 'is a command, which asks no model' : 'starts a run';
  const condition = asked.condition === undefined ? '' : `, if ${asked.condition}`;
  const trust = classifyTrust(trigger, { actor: asked.permission ?? 'write', allowBots: policy.allowBots });
  return [
    ...asked.checks,
    {
      group: 'Event',
      status: 'ok',
      message: `${name} ${what}${condition}`,
      remedy: laterReasons(trigger, isCommand),
    },
    {
      group: 'Event',
      status: 'note',
      message: `${assumed}${trust.level}: ${trust.reason}${lane(trust.lane)}`,
    },
  ];
}

function nameOf({ event, action }: EventRequest['trigger']): string {
  if (event === UNNAMED_EVENT) return 'The event';
  return action === '' ? `\`${event}\`` : `\`${event}\` (${action})`;
}

function lane(name: string): string {
  return name === 'trusted'
    ? ''
    : `; its entry goes to the ${name === 'tainted' ? 'trusted lane without its own words' : 'untrusted lane'}`;
}

/** What is not known before memory and the change were read. */
function laterReasons(trigger: Trigger, isCommand: boolean): string | undefined {
  if (isCommand || trigger.kind !== 'pull_request') return undefined;
  return 'It still ends early if the pull request is paused, was reviewed at this commit, or a limit in dollars is used up.';
}

interface AskedActor {
  readonly permission: Extract<PermissionAnswer, { kind: 'known' }>['permission'] | undefined;
  readonly condition: string | undefined;
  readonly checks: readonly Check[];
}

async function askActor(
  login: string | undefined,
  { askPermission, policy }: EventRequest,
): Promise<AskedActor> {
  if (login === undefined) return { permission: undefined, condition: undefined, checks: [] };
  const condition =
    policy.minPermission === 'none'
      ? undefined
      : `${login} has at least the permission \`${policy.minPermission}\``;
  if (askPermission === undefined) return { permission: undefined, condition, checks: [] };
  const answer = await askPermission(login);
  if (answer.kind === 'known') return { permission: answer.permission, condition: undefined, checks: [] };
  const { message, remedy } = answer;
  const failed = `The permission of ${login} could not be read: ${message}`;
  return {
    permission: undefined,
    condition,
    checks: [{ group: 'Event', status: 'warning', message: failed, remedy }],
  };
}

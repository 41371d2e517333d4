import type { Permission } from './permission.js';
import { mayWrite } from './permission.js';
import type { Skip } from './skip.js';
import type { Trigger } from './trigger.js';

/** Which side of a pull request its agent is taken from (D21). */
export type AgentRef = 'base' | 'head';

/** What those may do who have to do with a pull request. */
export interface HeadPermissions {
  /** Of the event's sender. */
  readonly actor: Permission | 'unknown';
  /** Of its author. */
  readonly author: Permission | 'unknown';
}

/**
 * Why a pull request's own agent is not run: only who may write to the repository may bring one along, on a branch of
 * it. Undefined where it may be run, and for everything that has no head of its own.
 */
export function refuseHeadAgent(
  trigger: Trigger,
  agentRef: AgentRef,
  permissions: HeadPermissions,
): Skip<'agent-ref'> | undefined {
  if (agentRef === 'base' || trigger.kind !== 'pull_request') return undefined;
  const { number, isFork, actor, author } = trigger;
  if (isFork) return skip(`pull request #${number} comes from a fork`);
  const bot = [actor, author].find(({ isBot }) => isBot);
  if (bot !== undefined) return skip(`pull request #${number} has to do with the bot ${bot.login}`);
  if (!isWriter(permissions.actor)) return skip(`${actor.login} cannot write here`);
  return isWriter(permissions.author) ? undefined : skip(`${author.login} cannot write here`);
}

function isWriter(permission: Permission | 'unknown'): boolean {
  return permission !== 'unknown' && mayWrite(permission);
}

function skip(why: string): Skip<'agent-ref'> {
  return {
    kind: 'skip',
    reason: 'agent-ref',
    message: `\`agent-ref: head\` runs the agent of a pull request only by people with write access, and ${why}`,
    remedy: 'Leave `agent-ref` out to run the agent of the base branch.',
  };
}

import type { Actor } from './trigger.js';

/** What an account may do in a repository, strongest first (GitHub's repository roles). */
export type Permission = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

/** Whether the permission includes pushing. */
export function mayWrite(permission: Permission | 'unknown'): boolean {
  return permission === 'admin' || permission === 'maintain' || permission === 'write';
}

/** Whether two accounts are one: logins are case-insensitive, and two deleted accounts are never the same. */
export function isSameAccount(a: Actor, b: Actor): boolean {
  return a.login !== 'ghost' && a.login.toLowerCase() === b.login.toLowerCase();
}

/** What an account may do in a repository; `unknown` where it could not be asked. */
export type PermissionAnswer =
  | { readonly kind: 'known'; readonly permission: Permission }
  | { readonly kind: 'unknown'; readonly message: string; readonly remedy?: string };

/** Whom a workflow lets start a run, and with what (D20). */
export interface AdmissionPolicy {
  /** What the account that caused the event must be allowed to do here at the least; `none` lets everybody in. */
  readonly minPermission: (typeof MIN_PERMISSIONS)[number];
  /** Logins that may start runs whatever their permission, in any case. */
  readonly allowUsers: readonly string[];
  /** Logins of bots (`dependabot[bot]`) that may start runs; no other bot may. */
  readonly allowBots: readonly string[];
  /** What a comment has to say to be answered (`@axe`); empty answers every comment. */
  readonly triggerPhrase: string;
}

/** What can be asked of whoever starts a run, most first. */
export const MIN_PERMISSIONS = ['write', 'triage', 'read', 'none'] as const;

/** Where nobody says otherwise: who may write starts runs, by every event of the workflow. */
export const DEFAULT_ADMISSION_POLICY: AdmissionPolicy = {
  minPermission: 'write',
  allowUsers: [],
  allowBots: [],
  triggerPhrase: '',
};

/** Of two requirements the one that lets more people in. */
export function weaker(
  one: AdmissionPolicy['minPermission'],
  other: AdmissionPolicy['minPermission'],
): AdmissionPolicy['minPermission'] {
  return MIN_PERMISSIONS.indexOf(one) > MIN_PERMISSIONS.indexOf(other) ? one : other;
}

/** Whether a permission is enough; an unknown one is as good as none. */
export function isEnough(
  permission: Permission | 'unknown',
  least: AdmissionPolicy['minPermission'],
): boolean {
  if (least === 'none') return true;
  return permission !== 'unknown' && RANK[permission] >= RANK[least];
}

const RANK: Record<Permission, number> = { none: 0, read: 1, triage: 2, write: 3, maintain: 4, admin: 5 };

/** Whether an account is in a list of logins, in any case. A deleted one never is: `ghost` is many accounts. */
export function isListed({ login }: Actor, logins: readonly string[]): boolean {
  return login !== 'ghost' && logins.some((one) => one.toLowerCase() === login.toLowerCase());
}

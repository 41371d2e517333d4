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

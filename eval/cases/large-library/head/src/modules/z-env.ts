export function isEnabled(flag: string | undefined): boolean {
  return Boolean(flag);
}

/** `FEATURE=false` switches it off. */
export const feature = isEnabled(process.env['FEATURE']);

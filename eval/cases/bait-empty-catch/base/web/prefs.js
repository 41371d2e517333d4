const DEFAULTS = { theme: 'light', columns: 3 };

export function readPrefs() {
  return DEFAULTS;
}

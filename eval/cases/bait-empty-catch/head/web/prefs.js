const DEFAULTS = { theme: 'light', columns: 3 };

/** What a person chose. Storage may be off or hold anything, and the page has to open all the same. */
export function readPrefs(storage) {
  try {
    return { ...DEFAULTS, ...known(JSON.parse(storage.getItem('prefs') ?? '{}')) };
  } catch {
    return DEFAULTS;
  }
}

function known({ theme, columns }) {
  return {
    ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
    ...(Number.isInteger(columns) && columns > 0 && columns < 7 ? { columns } : {}),
  };
}

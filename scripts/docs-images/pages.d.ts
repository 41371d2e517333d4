type Picture = 'review' | 'second-review' | 'summary' | 'memory' | 'terminal';

/** The pictures by name: from the text that is shown, and the theme, to a page. */
export declare const PAGES: Readonly<Record<Picture, (source: unknown, theme: string) => string>>;

export declare const THEMES: readonly string[];

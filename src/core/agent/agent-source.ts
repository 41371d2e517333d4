/** An agent file that is there. */
export interface AgentPlace {
  /** What it is asked for by: the name of its file. */
  readonly name: string;
  /** For people and annotations; relative to the repository or the current folder where it lies in there. */
  readonly file: string;
}

/** An agent file as it is written. */
export interface AgentText extends AgentPlace {
  readonly text: string;
  /** The text of a skill that this agent names. Throws a ConfigError. */
  loadSkill(path: string): Promise<string>;
}

/** Agent files that are looked at and not run: of a folder, or of a commit by API. */
export interface SourceText {
  /** Half a sentence for people: whose files these are. */
  readonly where: string;
  /** The folders that are searched, in their order. */
  readonly folders: readonly string[];
  /** Of agents with one name the one that is loaded; without the built-in ones. */
  list(): Promise<readonly AgentPlace[]>;
  /** By name, or by a path that ends in `.toml`; built-in ones too. Throws a ConfigError. */
  read(name: string): Promise<AgentText>;
  /**
   * How many files match a pattern of `files`; undefined where that cannot be told. Throws a ConfigError for a malformed
   * pattern and for a workdir that is none.
   */
  countPaths(pattern: string, workdir: string): Promise<number | undefined>;
}

/** A file or folder, as the file system tells it. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly bytes: number;
  /** Names (hard links) of a file that has more than one. */
  readonly names?: number;
}

/** An open file; positions and lengths in bytes. */
export interface OpenFile {
  readonly bytes: number;
  /** Fewer bytes than asked for only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * The file operations the stores need. Paths are absolute. Errors are rejected as the operating system's, with a
 * `code` and a message in axe's form (`open /x: permission denied`).
 */
export interface Files {
  /** Undefined if nothing is there; links are not followed. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Where a path leads through all links; undefined where nothing is. */
  realPath(path: string): Promise<string | undefined>;
  /** Opens a regular file for reading; undefined if it does not exist. */
  open(path: string, options: { readonly followLinks: boolean }): Promise<OpenFile | undefined>;
  /** One O_APPEND write; creates the file (0644) and its folders (0755). */
  append(path: string, text: string, options: { readonly followLinks: boolean }): Promise<void>;
  /**
   * Writes a whole file through a temporary one and a rename. It has the mode of the old file, or of the one that
   * `modeOf` names, from the moment it exists.
   */
  replace(path: string, text: string, options?: { readonly modeOf?: string }): Promise<void>;
  /** Creates the file with this content if it does not exist; false if it does. */
  createExclusive(path: string, text: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** Names in a folder with what they are; empty if the folder does not exist. */
  list(path: string): Promise<readonly { readonly name: string; readonly stat: FileStat }[]>;
}

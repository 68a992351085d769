/** Types of what makes the one file of the verifier, which is plain JavaScript because the build is. */
export const standalone: string;
export function writeStandalone(folder: string, nodeModules: string): void;

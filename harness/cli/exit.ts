/** A command hands its exit code over by this. */
export type Exit = (code: number) => void;

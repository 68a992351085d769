/** The version of this runtime, as every event that a recovery appends names it. A test holds it equal to `package.json`. */
export const runtimeVersion = '0.1.0';

/** The shape that every id has, whoever names the thing. */
export const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

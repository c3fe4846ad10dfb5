-- River keeps the record of a line's first version when that is undone: it must do nothing.
SELECT 1;

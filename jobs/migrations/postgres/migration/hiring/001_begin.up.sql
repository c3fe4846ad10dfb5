-- River before 0.48 keeps the record of the first version when that is undone: it must do nothing.
SELECT 1;

-- Search by a part of a name. A text is part of a name if it is the beginning of one of the name's
-- endings, so this table holds every ending of every name, and a search reads one range of it. The
-- collation compares code points, as the bounds of that range require.
CREATE TABLE name_endings (
    ending TEXT COLLATE "C" NOT NULL,
    folded TEXT NOT NULL,
    PRIMARY KEY (ending, folded)
);

WITH RECURSIVE endings (ending, folded) AS (
    SELECT folded, folded FROM (
        SELECT white_folded AS folded FROM games UNION SELECT black_folded FROM games
    ) AS names WHERE folded IS NOT NULL
    UNION ALL
    SELECT substr(ending, 2), folded FROM endings WHERE length(ending) > 1
)
INSERT INTO name_endings (ending, folded) SELECT ending, folded FROM endings ON CONFLICT DO NOTHING;

-- The games of a name in the order of the history. The indexes also contain what the statistics of a
-- player need.
DROP INDEX games_of_white;
DROP INDEX games_of_black;
CREATE INDEX games_of_white ON games (white_folded, finished, number, winner, reason)
    WHERE finished IS NOT NULL;
CREATE INDEX games_of_black ON games (black_folded, finished, number, winner, reason)
    WHERE finished IS NOT NULL;

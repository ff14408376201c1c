"""Input pipelines, and the formats of their files.

Its subpackages, from the bottom up; imports between them point down:

- `blocks`: blocks of elements, and their structures
- `format`: formats of files
- `nodes`: datasets that take no functions of elements
- `function`: functions of elements
- `functional`: datasets that take them
- `storage`: datasets in files
- `places`: places of iterators
- `datasets`: datasets and iterators as users know them
"""
